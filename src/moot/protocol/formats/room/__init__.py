"""The room of seed 002: a conversation that people lead.

standing   settings, beats; who speaks now, who comes next; what is shown of it
floor      how events move the floor: the room's own fold
loads      how full each member's window is
mentions   who is called by name
notices    what people are told and no model is
rules      the format: its steps, when auto mode pauses, what people may do
acts       what people do, as events
"""
