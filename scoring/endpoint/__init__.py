"""Endpoint runs: every question of a release asked at an OpenAI-compatible address.

Plain asyncio; neither Django nor a database. The arrows, one way:

    settings ← {templates budget} ← {questions order} ← prompts ← wire ← {client records} ← runner
    estimate needs settings, questions and prompts
"""
