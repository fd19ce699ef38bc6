"""How far a verdict can be trusted: benches of made-up judges, certified by the rule that ships."""
