-- Label propagation in plain SQL.
--
--   edge(id, src, dst)                     the edges
--   wanted(iterations)                     one row
--   -> label_propagation(vertex, label)
--
-- Each tick is one iteration, in which all vertices read the labels of the previous one.

DROP TABLE IF EXISTS near;
CREATE TABLE near AS SELECT src AS vertex, dst AS other FROM edge WHERE src <> dst UNION ALL
SELECT dst, src FROM edge WHERE src <> dst;
CREATE INDEX near_by_vertex ON near(vertex);
DROP TABLE IF EXISTS label_propagation;
CREATE TABLE label_propagation AS
SELECT src AS vertex, src AS label, NULL AS next FROM edge UNION SELECT dst, dst, NULL FROM edge;
CREATE UNIQUE INDEX label_by_vertex ON label_propagation(vertex);
DROP TABLE IF EXISTS tick;
CREATE TABLE tick(i);
CREATE TRIGGER next_labels AFTER INSERT ON tick BEGIN
    UPDATE label_propagation SET next = coalesce((
        SELECT l.label FROM near n JOIN label_propagation l ON l.vertex = n.other WHERE n.vertex = label_propagation.vertex
        GROUP BY l.label ORDER BY count(*) DESC, l.label LIMIT 1), label);
    UPDATE label_propagation SET label = next;
END;
INSERT INTO tick WITH RECURSIVE i(i) AS (SELECT 1 WHERE (SELECT iterations FROM wanted) > 0
    UNION ALL SELECT i + 1 FROM i WHERE i < (SELECT iterations FROM wanted)) SELECT i FROM i;
DROP TABLE tick;
