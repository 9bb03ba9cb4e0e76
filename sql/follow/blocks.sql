-- The packed graph in pieces. No INTEGER PRIMARY KEY: VACUUM renumbers these rows when it may have
-- renumbered the edges.
CREATE TABLE {schema}.{blocks}(data)
