"""Endpoint runs: every question of a release asked at an OpenAI-compatible address.

Plain asyncio; neither Django nor a database. The arrows, one way:

    templates ← settings ← {budget questions scored_text} ← {order prompts} ← {wire records}
    ← {client run_folder pacing} ← runner; estimate needs settings, questions and prompts
"""
