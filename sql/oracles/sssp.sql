-- Shortest paths in plain SQL: the rounds of Bellman and Ford, each over the vertices
-- whose distance the previous one lowered.
--
--   edge(id, src, dst, weight)   the arcs of the search (undirected: each edge in both directions)
--   start(vertex)                the sources
--   -> sssp(vertex, distance, parent, edge)
--
-- Each row inserted into `tick` fires a trigger that makes one round; see bfs.sql.

DROP TABLE IF EXISTS sssp;
CREATE TABLE sssp AS
SELECT src AS vertex, 0 AS distance, 0 AS round, 0 AS step, src AS parent, id AS edge FROM edge WHERE false;
CREATE UNIQUE INDEX sssp_by_vertex ON sssp(vertex);
CREATE INDEX sssp_by_round ON sssp(round);
CREATE INDEX IF NOT EXISTS edge_by_src ON edge(src);
CREATE INDEX IF NOT EXISTS edge_by_dst ON edge(dst);
INSERT INTO sssp(vertex, distance, round) SELECT DISTINCT vertex, 0, 0 FROM start
WHERE vertex IN (SELECT src FROM edge UNION SELECT dst FROM edge);

DROP TABLE IF EXISTS tick;
CREATE TABLE tick(round INTEGER);
CREATE TRIGGER next_round AFTER INSERT ON tick WHEN EXISTS (SELECT 1 FROM sssp WHERE round = new.round - 1)
BEGIN
    INSERT INTO sssp(vertex, distance, round)
    SELECT e.dst, min(s.distance + e.weight), new.round
    FROM sssp s CROSS JOIN edge e ON e.src = s.vertex WHERE s.round = new.round - 1 GROUP BY e.dst
    ON CONFLICT (vertex) DO UPDATE SET distance = excluded.distance, round = excluded.round
    WHERE excluded.distance < distance;
END;
INSERT INTO tick SELECT value FROM generate_series(1, (SELECT count(*) FROM edge));
DROP TABLE tick;

-- The tree consists of tight edges: edges that reach their target at its distance.
DROP TABLE IF EXISTS tight;
CREATE TABLE tight AS
SELECT e.id, e.src, e.dst, a.distance < b.distance AS nearer
FROM edge e CROSS JOIN sssp a ON a.vertex = e.src CROSS JOIN sssp b ON b.vertex = e.dst
WHERE a.distance + e.weight = b.distance AND b.vertex NOT IN (SELECT vertex FROM start);
CREATE INDEX tight_by_src ON tight(src);
CREATE INDEX tight_by_dst ON tight(dst);

-- step: the smallest number of tight edges without length (weight 0, or lost to rounding)
-- at the end of a shortest path to the vertex.
UPDATE sssp SET step = 0
WHERE vertex IN (SELECT vertex FROM start UNION SELECT dst FROM tight WHERE nearer);
CREATE TABLE tick(step INTEGER);
CREATE TRIGGER next_step AFTER INSERT ON tick WHEN EXISTS (SELECT 1 FROM sssp WHERE step = new.step - 1)
BEGIN
    UPDATE sssp SET step = new.step
    WHERE step IS NULL AND vertex IN (SELECT t.dst FROM tight t CROSS JOIN sssp s ON s.vertex = t.src
                                      WHERE s.step = new.step - 1);
END;
INSERT INTO tick SELECT value FROM generate_series(1, (SELECT count(*) FROM sssp WHERE step IS NULL));
DROP TABLE tick;

-- Among the tight edges those from a strictly nearer vertex come first, then those from
-- the vertex with the smallest step, then the smallest id.
UPDATE sssp SET (edge, parent) = (
    SELECT t.id, t.src FROM tight t CROSS JOIN sssp s ON s.vertex = t.src
    WHERE t.dst = sssp.vertex ORDER BY NOT t.nearer, iif(t.nearer, 0, s.step), t.id LIMIT 1);
