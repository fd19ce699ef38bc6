"""The speed of the durable runtime: steps on Postgres, a thousand debates, a thousand viewers."""
