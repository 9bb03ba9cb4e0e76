CREATE TRIGGER {schema}.{replaced} BEFORE UPDATE ON {table} BEGIN
  INSERT INTO {log}(edge) {replaceable};
END
