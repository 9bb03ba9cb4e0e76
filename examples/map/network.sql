-- A road of New York is open or closed; the graph `network` has the open ones and follows the table.
ALTER TABLE roads ADD COLUMN open INTEGER NOT NULL DEFAULT 1;
CREATE INDEX roads_closed ON roads(id) WHERE open = 0;
CREATE VIRTUAL TABLE network USING gpugraph(roads(src, dst, length), where = 'open = 1', direction = 'both');
