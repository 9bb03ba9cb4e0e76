-- PageRank in plain SQL.
--
--   edge(id, src, dst)                     the edges
--   wanted(damping, iterations)            one row
--   -> pagerank(vertex, rank)
--
-- Each tick is one iteration. The rank of vertices without out-edges is divided equally
-- among all vertices.

DROP TABLE IF EXISTS pagerank;
CREATE TABLE pagerank AS
WITH vertex(name) AS (SELECT src FROM edge UNION SELECT dst FROM edge)
SELECT name AS vertex, 1.0 / (SELECT count(*) FROM vertex) AS rank, 0.0 AS next,
       (SELECT count(*) FROM edge WHERE src = name) AS out
FROM vertex;
CREATE UNIQUE INDEX pagerank_by_vertex ON pagerank(vertex);
CREATE INDEX IF NOT EXISTS edge_by_dst ON edge(dst);
DROP TABLE IF EXISTS tick;
CREATE TABLE tick(i);
CREATE TRIGGER next_iteration AFTER INSERT ON tick BEGIN
    UPDATE pagerank SET next = (
        SELECT (1 - w.damping) / n.vertices + w.damping * (n.lost / n.vertices + coalesce(
            (SELECT sum(u.rank / u.out) FROM edge e JOIN pagerank u ON u.vertex = e.src WHERE e.dst = pagerank.vertex), 0))
        FROM wanted w, (SELECT count(*) AS vertices, sum(CASE WHEN out = 0 THEN rank ELSE 0.0 END) AS lost FROM pagerank) n);
    UPDATE pagerank SET rank = next;
END;
INSERT INTO tick WITH RECURSIVE i(i) AS (SELECT 1 WHERE (SELECT iterations FROM wanted) > 0
    UNION ALL SELECT i + 1 FROM i WHERE i < (SELECT iterations FROM wanted)) SELECT i FROM i;
DROP TABLE tick;
