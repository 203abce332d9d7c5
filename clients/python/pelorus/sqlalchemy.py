"""A dialect of SQLAlchemy for queries and reflection: ``create_engine("pelorus:///folder")``, ``"pelorus://user:password@host:port"``.

Tables of a database of the distributed file system are in the schema of its name without ``dfs://``; what the session has by
name, as shared tables, in the default one. Statements are run as they are: for what Pelorus's language says otherwise than
SQL, use `text`.
"""
from __future__ import annotations

from typing import Any, Optional

from sqlalchemy import pool, types
from sqlalchemy.engine import default, reflection
from sqlalchemy.engine.url import URL
from sqlalchemy.sql import compiler

from . import dbapi

_TYPES = {"BOOL": types.Boolean, "CHAR": types.SmallInteger, "SHORT": types.SmallInteger, "INT": types.Integer, "LONG": types.BigInteger,
          "FLOAT": types.Float, "DOUBLE": types.Double, "DATE": types.Date, "MONTH": types.Date, "TIME": types.Time, "MINUTE": types.Time,
          "SECOND": types.Time, "NANOTIME": types.Time, "DATETIME": types.DateTime, "TIMESTAMP": types.DateTime, "NANOTIMESTAMP": types.DateTime,
          "DATEHOUR": types.DateTime, "SYMBOL": types.String, "STRING": types.String, "BLOB": types.LargeBinary, "UUID": types.Uuid}


def _literal(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


class PelorusIdentifierPreparer(compiler.IdentifierPreparer):
    """Names stand as they are: the language quotes columns by _"name"."""

    def __init__(self, dialect: Any) -> None:
        super().__init__(dialect, initial_quote='_"', final_quote='"')

    def quote(self, ident: str, force: Any = None) -> str:
        return ident if ident.isidentifier() else f'_"{ident}"'

    def format_table(self, table: Any, use_schema: bool = True, name: Optional[str] = None) -> str:
        name = table.name if name is None else name
        schema = self.schema_for_object(table)
        if use_schema and schema:
            return f"loadTable({_literal('dfs://' + schema)}, {_literal(name)})"
        return self.quote(name)


class PelorusCompiler(compiler.SQLCompiler):
    """Queries: columns without the name of their table where there is one table, limits with an offset before them."""

    def limit_clause(self, select: Any, **kw: Any) -> str:
        if select._limit_clause is None and select._offset_clause is None:
            return ""
        count = "9223372036854775807" if select._limit_clause is None else self.process(select._limit_clause, **kw)
        if select._offset_clause is None:
            return f"\n limit {count}"
        return f"\n limit {self.process(select._offset_clause, **kw)}, {count}"

    def visit_column(self, column: Any, add_to_result_map: Any = None, include_table: bool = True, **kw: Any) -> str:
        has_schema = column.table is not None and getattr(column.table, "schema", None)
        return super().visit_column(column, add_to_result_map=add_to_result_map, include_table=include_table and not has_schema and len(self.stack) > 1, **kw)

    def visit_table(self, table: Any, asfrom: bool = False, **kw: Any) -> str:
        if asfrom and getattr(table, "schema", None):
            return self.preparer.format_table(table)
        return super().visit_table(table, asfrom=asfrom, **kw)

    def visit_true(self, expr: Any, **kw: Any) -> str:
        return "true"

    def visit_false(self, expr: Any, **kw: Any) -> str:
        return "false"

    def visit_is__binary(self, binary: Any, operator: Any, **kw: Any) -> str:
        return f"isNull({self.process(binary.left, **kw)})"

    def visit_is_not_binary(self, binary: Any, operator: Any, **kw: Any) -> str:
        return f"!isNull({self.process(binary.left, **kw)})"


class PelorusDialect(default.DefaultDialect):
    name = "pelorus"
    driver = "pelorus"
    statement_compiler = PelorusCompiler
    preparer = PelorusIdentifierPreparer
    poolclass = pool.SingletonThreadPool
    supports_statement_cache = True
    supports_native_boolean = True
    supports_sane_rowcount = False
    supports_default_values = False
    supports_alter = False
    postfetch_lastrowid = False
    default_paramstyle = "qmark"

    @classmethod
    def import_dbapi(cls) -> Any:
        return dbapi

    def create_connect_args(self, url: URL) -> tuple[list, dict]:
        if url.host:
            address = f"{url.host}:{url.port or 8848}"
            return [], {"address": address, "user": url.username, "password": url.password, **{key: value == "true" for key, value in url.query.items() if key == "tls"}}
        return [url.database], {}

    @classmethod
    def get_pool_class(cls, url: URL) -> Any:
        return pool.QueuePool if url.host else pool.StaticPool

    def do_rollback(self, dbapi_connection: Any) -> None:
        """Nothing: each statement is a transaction of its own."""

    def do_begin(self, dbapi_connection: Any) -> None:
        """Nothing, likewise."""

    def _check_max_identifier_length(self, connection: Any) -> None:
        return None

    def _get_server_version_info(self, connection: Any) -> tuple:
        return tuple(int(part) for part in connection.exec_driver_sql("version()").scalar().split()[0].split(".")[:3] if part.isdigit())

    def _get_default_schema_name(self, connection: Any) -> str:
        return ""

    # ---- Reflection

    @reflection.cache
    def get_schema_names(self, connection: Any, **kw: Any) -> list[str]:
        rows = connection.exec_driver_sql("table(getClusterDFSDatabases() as name)").fetchall()
        return [""] + sorted(row[0].removeprefix("dfs://") for row in rows)

    @reflection.cache
    def get_table_names(self, connection: Any, schema: Optional[str] = None, **kw: Any) -> list[str]:
        if schema:
            rows = connection.exec_driver_sql(f"table(getTables(database({_literal('dfs://' + schema)})) as name)").fetchall()
        else:
            rows = connection.exec_driver_sql('select name from objs(true) where form = "TABLE"').fetchall()
        return sorted(row[0] for row in rows if row[0])

    def get_view_names(self, connection: Any, schema: Optional[str] = None, **kw: Any) -> list[str]:
        return []

    def has_table(self, connection: Any, table_name: str, schema: Optional[str] = None, **kw: Any) -> bool:
        return table_name in self.get_table_names(connection, schema, **kw)

    @reflection.cache
    def get_columns(self, connection: Any, table_name: str, schema: Optional[str] = None, **kw: Any) -> list[dict]:
        from sqlalchemy import exc

        if not self.has_table(connection, table_name, schema):
            raise exc.NoSuchTableError(f"{schema}.{table_name}" if schema else table_name)
        name = f"loadTable({_literal('dfs://' + schema)}, {_literal(table_name)})" if schema else table_name
        rows = connection.exec_driver_sql(f"select name, typeString from schema({name}).colDefs").fetchall()
        return [{"name": column, "type": self._type_of(kind), "nullable": True, "default": None} for column, kind in rows]

    @staticmethod
    def _type_of(kind: str) -> Any:
        base = kind.split("(")[0]
        if base.startswith("DECIMAL"):
            return types.Numeric(38, int(kind.split("(")[1].rstrip(")")) if "(" in kind else 0)
        return _TYPES.get(base, types.NullType)()

    def get_pk_constraint(self, connection: Any, table_name: str, schema: Optional[str] = None, **kw: Any) -> dict:
        return {"constrained_columns": [], "name": None}

    def get_foreign_keys(self, connection: Any, table_name: str, schema: Optional[str] = None, **kw: Any) -> list:
        return []

    def get_indexes(self, connection: Any, table_name: str, schema: Optional[str] = None, **kw: Any) -> list:
        return []


dialect = PelorusDialect
