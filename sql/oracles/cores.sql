-- Core numbers in plain SQL.
--
--   edge(id, src, dst)          the edges
--   -> cores(vertex, core)
--
-- Each tick removes the vertices with at most k remaining neighbours or, if there are
-- none, increments k.

DROP TABLE IF EXISTS near_by;
CREATE TABLE near_by AS
SELECT src AS a, dst AS b FROM edge WHERE src <> dst UNION SELECT dst, src FROM edge WHERE src <> dst;
CREATE INDEX near_by_a ON near_by(a);
DROP TABLE IF EXISTS cores;
CREATE TABLE cores AS SELECT vertex, NULL AS core FROM (SELECT src AS vertex FROM edge UNION SELECT dst FROM edge);
CREATE UNIQUE INDEX cores_by_vertex ON cores(vertex);
DROP TABLE IF EXISTS least;
CREATE TABLE least(k);
INSERT INTO least VALUES (0);
DROP VIEW IF EXISTS falling;
CREATE VIEW falling AS
SELECT vertex FROM cores v WHERE core IS NULL AND (SELECT k FROM least) >= (
    SELECT count(*) FROM near_by JOIN cores u ON u.vertex = b WHERE a = v.vertex AND u.core IS NULL);
DROP TABLE IF EXISTS tick;
CREATE TABLE tick(i);
CREATE TRIGGER next_pass AFTER INSERT ON tick BEGIN
    UPDATE least SET k = k + 1 WHERE NOT EXISTS (SELECT 1 FROM falling);
    UPDATE cores SET core = (SELECT k FROM least) WHERE vertex IN (SELECT vertex FROM falling);
END;
INSERT INTO tick SELECT 1 FROM cores UNION ALL SELECT 2 FROM cores;
DROP TABLE tick;
