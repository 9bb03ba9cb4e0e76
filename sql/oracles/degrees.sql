-- Degrees in plain SQL.
--
--   edge(id, src, dst)          the edges
--   -> degrees(vertex, out_degree, in_degree, degree)

DROP TABLE IF EXISTS degrees;
CREATE TABLE degrees AS
SELECT vertex, sum(leaves) AS out_degree, sum(enters) AS in_degree, count(*) AS degree
FROM (SELECT src AS vertex, 1 AS leaves, 0 AS enters FROM edge UNION ALL SELECT dst, 0, 1 FROM edge)
GROUP BY vertex;
