"""Runs attempts at the tasks of a crewAI project, or the parts of a flow, for Crewdeck's crew service, in the project's own Python.

Tried with crewAI 1.0.0 to 1.15.30; flows with 1.15.0 and 1.15.30. test/python/test_undocumented.py lists what is used of crewAI
that its documentation doesn't name.
"""
