"""``python -m tests.tools.faults``: would the tests notice a fault in the product?

Each fault is planted alone into a copy of the tree, and the tests near it are run. A fault that no
test catches names a promise that nothing holds.
"""
