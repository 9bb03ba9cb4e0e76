-- The packed graph in pieces. The table has no INTEGER PRIMARY KEY, so VACUUM renumbers
-- its rows whenever it may renumber the edges.
CREATE TABLE {schema}.{blocks}(data)
