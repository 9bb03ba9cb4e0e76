-- The greedy maximal independent set in plain SQL.
--
--   edge(id, src, dst)          the edges; direction, repeats and loops do not matter
--   priority(vertex, rank)      every vertex once, no rank twice; the lowest rank is asked first
--   -> mis(vertex)
--
-- Each tick handles one vertex, in the order of rank: the vertex joins if no neighbour
-- has joined.

DROP TABLE IF EXISTS mis;
CREATE TABLE mis AS SELECT src AS vertex FROM edge WHERE false;
CREATE UNIQUE INDEX mis_by_vertex ON mis(vertex);
CREATE INDEX IF NOT EXISTS edge_by_src ON edge(src);
CREATE INDEX IF NOT EXISTS edge_by_dst ON edge(dst);
DROP TABLE IF EXISTS tick;
CREATE TABLE tick AS SELECT src AS vertex FROM edge WHERE false;
CREATE TRIGGER next_vertex AFTER INSERT ON tick
WHEN NOT EXISTS (SELECT 1 FROM edge e CROSS JOIN mis m ON m.vertex = e.dst WHERE e.src = new.vertex AND e.dst <> e.src)
 AND NOT EXISTS (SELECT 1 FROM edge e CROSS JOIN mis m ON m.vertex = e.src WHERE e.dst = new.vertex AND e.dst <> e.src)
BEGIN
    INSERT INTO mis VALUES (new.vertex);
END;
INSERT INTO tick SELECT vertex FROM priority ORDER BY rank;
DROP TABLE tick;
