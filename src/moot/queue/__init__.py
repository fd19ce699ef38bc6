"""Gets debates advanced: `port` is what a queue must do, `dispatcher` fills one and empties it."""
