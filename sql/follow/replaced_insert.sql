-- REPLACE deletes rows without firing triggers, so the log names a row with an equal
-- UNIQUE key before it is deleted. If the row stays after all (OR IGNORE), its entry does
-- no harm. A row with the rowid of the new one needs no entry here, since the insertion
-- logs that rowid.
CREATE TRIGGER {schema}.{replaced} BEFORE INSERT ON {table} BEGIN
  INSERT INTO {log}(edge) {replaceable};
END
