-- The aggregates of PostgreSQL and the type onefold_state. MODULE_PATHNAME is onefold_postgres.so.
CREATE FUNCTION exact_combine(internal, internal) RETURNS internal
  AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION exact_serialize(internal) RETURNS bytea
  AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION exact_deserialize(bytea, internal) RETURNS internal
  AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
-- Columns are "any": integers, float4, float8 and numeric. The C functions look at the type, so that no cast loses digits.
DO $do$
DECLARE
  name text;
  inputs int;
  columns text;
BEGIN
  FOR name, inputs IN VALUES ('sum', 1), ('avg', 1), ('var', 1), ('var_samp', 1), ('var_pop', 1), ('stddev', 1),
    ('stddev_samp', 1), ('stddev_pop', 1), ('rms', 1), ('sem', 1), ('skewness', 1), ('skewness_pop', 1),
    ('kurtosis', 1), ('kurtosis_pop', 1), ('dot', 2), ('corr', 2), ('covar_samp', 2), ('covar_pop', 2),
    ('regr_slope', 2), ('regr_intercept', 2)
  LOOP
    columns := CASE inputs WHEN 2 THEN '"any", "any"' ELSE '"any"' END;
    EXECUTE format('CREATE FUNCTION exact_%s_final(internal) RETURNS float8
      AS ''MODULE_PATHNAME'' LANGUAGE C IMMUTABLE PARALLEL SAFE', name);
    EXECUTE format('CREATE FUNCTION exact_%1$s_step(internal, %2$s) RETURNS internal
      AS ''MODULE_PATHNAME'' LANGUAGE C IMMUTABLE PARALLEL SAFE', name, columns);
    EXECUTE format('CREATE FUNCTION exact_%1$s_back(internal, %2$s) RETURNS internal
      AS ''MODULE_PATHNAME'' LANGUAGE C IMMUTABLE PARALLEL SAFE', name, columns);
    EXECUTE format('CREATE AGGREGATE exact_%1$s(%2$s) (
      SFUNC = exact_%1$s_step, STYPE = internal, SSPACE = 2048, FINALFUNC = exact_%1$s_final,
      MSFUNC = exact_%1$s_step, MINVFUNC = exact_%1$s_back, MSTYPE = internal, MSSPACE = 2048,
      MFINALFUNC = exact_%1$s_final, COMBINEFUNC = exact_combine, SERIALFUNC = exact_serialize, DESERIALFUNC = exact_deserialize,
      PARALLEL = SAFE)', name, columns);
  END LOOP;
END $do$;
CREATE FUNCTION exact_sum_numeric_final(internal) RETURNS numeric
  AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE AGGREGATE exact_sum_numeric(numeric) (
  SFUNC = exact_sum_step, STYPE = internal, SSPACE = 2048, FINALFUNC = exact_sum_numeric_final,
  MSFUNC = exact_sum_step, MINVFUNC = exact_sum_back, MSTYPE = internal, MSSPACE = 2048,
  MFINALFUNC = exact_sum_numeric_final, COMBINEFUNC = exact_combine, SERIALFUNC = exact_serialize,
  DESERIALFUNC = exact_deserialize, PARALLEL = SAFE);

-- The bytes of docs/format.md. A constant is hexadecimal, as of bytea; what is no state is an error.
CREATE TYPE onefold_state;
CREATE FUNCTION onefold_state_in(cstring) RETURNS onefold_state
  AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION onefold_state_out(onefold_state) RETURNS cstring
  AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE TYPE onefold_state (INPUT = onefold_state_in, OUTPUT = onefold_state_out, STORAGE = extended);
CREATE FUNCTION onefold_state_from_bytes(bytea) RETURNS onefold_state
  AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE CAST (bytea AS onefold_state) WITH FUNCTION onefold_state_from_bytes(bytea);
CREATE CAST (onefold_state AS bytea) WITHOUT FUNCTION;

CREATE FUNCTION onefold_state_final(internal) RETURNS onefold_state
  AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
DO $do$
DECLARE
  columns text;
BEGIN
  FOREACH columns IN ARRAY ARRAY['"any"', '"any", "any"'] LOOP
    EXECUTE format('CREATE FUNCTION onefold_gather_step(internal, text, %s) RETURNS internal
      AS ''MODULE_PATHNAME'' LANGUAGE C IMMUTABLE PARALLEL SAFE', columns);
    EXECUTE format('CREATE AGGREGATE onefold_gather(text, %s) (
      SFUNC = onefold_gather_step, STYPE = internal, SSPACE = 2048, FINALFUNC = onefold_state_final,
      COMBINEFUNC = exact_combine, SERIALFUNC = exact_serialize, DESERIALFUNC = exact_deserialize,
      PARALLEL = SAFE)', columns);
  END LOOP;
END $do$;
CREATE FUNCTION onefold_merge_step(internal, onefold_state) RETURNS internal
  AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE AGGREGATE onefold_merge(onefold_state) (
  SFUNC = onefold_merge_step, STYPE = internal, SSPACE = 2048, FINALFUNC = onefold_state_final,
  COMBINEFUNC = exact_combine, SERIALFUNC = exact_serialize, DESERIALFUNC = exact_deserialize, PARALLEL = SAFE);
CREATE FUNCTION onefold_remove(onefold_state, onefold_state) RETURNS onefold_state
  AS 'MODULE_PATHNAME', 'onefold_state_removed' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION onefold_answer(state onefold_state, op text, ddof text DEFAULT '0') RETURNS float8
  AS 'MODULE_PATHNAME', 'onefold_state_answered' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION onefold_digest(onefold_state) RETURNS text
  AS 'MODULE_PATHNAME', 'onefold_state_digested' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

-- Equal data are equal bytes, so states are compared as bytea.
CREATE FUNCTION onefold_state_eq(onefold_state, onefold_state) RETURNS bool AS 'byteaeq' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION onefold_state_ne(onefold_state, onefold_state) RETURNS bool AS 'byteane' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION onefold_state_lt(onefold_state, onefold_state) RETURNS bool AS 'bytealt' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION onefold_state_le(onefold_state, onefold_state) RETURNS bool AS 'byteale' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION onefold_state_gt(onefold_state, onefold_state) RETURNS bool AS 'byteagt' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION onefold_state_ge(onefold_state, onefold_state) RETURNS bool AS 'byteage' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION onefold_state_cmp(onefold_state, onefold_state) RETURNS int AS 'byteacmp' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION onefold_state_hash(onefold_state) RETURNS int AS 'hashvarlena' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE;
CREATE OPERATOR = (LEFTARG = onefold_state, RIGHTARG = onefold_state, FUNCTION = onefold_state_eq, COMMUTATOR = =,
  NEGATOR = <>, RESTRICT = eqsel, JOIN = eqjoinsel, HASHES, MERGES);
CREATE OPERATOR <> (LEFTARG = onefold_state, RIGHTARG = onefold_state, FUNCTION = onefold_state_ne, COMMUTATOR = <>,
  NEGATOR = =, RESTRICT = neqsel, JOIN = neqjoinsel);
CREATE OPERATOR < (LEFTARG = onefold_state, RIGHTARG = onefold_state, FUNCTION = onefold_state_lt, COMMUTATOR = >, NEGATOR = >=);
CREATE OPERATOR <= (LEFTARG = onefold_state, RIGHTARG = onefold_state, FUNCTION = onefold_state_le, COMMUTATOR = >=, NEGATOR = >);
CREATE OPERATOR > (LEFTARG = onefold_state, RIGHTARG = onefold_state, FUNCTION = onefold_state_gt, COMMUTATOR = <, NEGATOR = <=);
CREATE OPERATOR >= (LEFTARG = onefold_state, RIGHTARG = onefold_state, FUNCTION = onefold_state_ge, COMMUTATOR = <=, NEGATOR = <);
CREATE OPERATOR CLASS onefold_state_order DEFAULT FOR TYPE onefold_state USING btree AS OPERATOR 1 <, OPERATOR 2 <=,
  OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >, FUNCTION 1 onefold_state_cmp(onefold_state, onefold_state);
CREATE OPERATOR CLASS onefold_state_hashes DEFAULT FOR TYPE onefold_state USING hash AS OPERATOR 1 =,
  FUNCTION 1 onefold_state_hash(onefold_state);
