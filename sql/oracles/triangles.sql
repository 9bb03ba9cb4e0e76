-- Triangles, degrees and clustering coefficients of all vertices in plain SQL.
--
--   edge(id, src, dst)                                                   the edges
--   -> triangles(vertex, triangles, degree, coefficient, directed)       directed: LDBC's, along the edges
--
-- Looks at every pair of neighbours of every vertex, so it suits small graphs only.

DROP TABLE IF EXISTS arc;
CREATE TABLE arc AS SELECT DISTINCT src, dst FROM edge WHERE src <> dst;
CREATE INDEX arc_by_ends ON arc(src, dst);
DROP TABLE IF EXISTS near;
CREATE TABLE near AS SELECT src AS vertex, dst AS other FROM arc UNION SELECT dst, src FROM arc;
CREATE INDEX near_by_vertex ON near(vertex, other);
DROP TABLE IF EXISTS triangles;
CREATE TABLE triangles AS
WITH pair(vertex, arcs, edges) AS (
        SELECT a.vertex, (SELECT count(*) FROM arc WHERE src = a.other AND dst = b.other),
            (SELECT count(*) FROM near WHERE vertex = a.other AND other = b.other)
        FROM near a JOIN near b USING (vertex) WHERE a.other <> b.other),
    known(vertex, arcs, edges) AS (SELECT vertex, sum(arcs), sum(edges) FROM pair GROUP BY vertex),
    vertex(id, degree) AS (SELECT id, (SELECT count(*) FROM near WHERE vertex = id)
        FROM (SELECT src AS id FROM edge UNION SELECT dst FROM edge))
SELECT id AS vertex, coalesce(edges, 0) / 2 AS triangles, degree,
    coalesce(CAST(edges AS REAL) / (degree * (degree - 1)), 0.0) AS coefficient,
    coalesce(CAST(arcs AS REAL) / (degree * (degree - 1)), 0.0) AS directed
FROM vertex LEFT JOIN known ON known.vertex = id;
