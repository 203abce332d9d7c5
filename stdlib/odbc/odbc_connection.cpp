#include "stdlib/odbc/odbc_connection.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>

#include "common/error.h"
#include "common/time/calendar.h"
#include "runtime/value/cast.h"
#include "runtime/value/print.h"

namespace pelorus::odbc {

namespace {

// A statement handle with its owner's duty to free it.
class Statement {
public:
    explicit Statement(SQLHDBC connection) {
        if (!SQL_SUCCEEDED(driverManager().allocHandle(SQL_HANDLE_STMT, connection, &handle_)))
            throw SystemError(fmt::format("ODBC gives no statement: {}.", diagnosis(SQL_HANDLE_DBC, connection)));
    }
    ~Statement() { driverManager().freeHandle(SQL_HANDLE_STMT, handle_); }
    Statement(const Statement&) = delete;
    Statement& operator=(const Statement&) = delete;
    SQLHSTMT get() const { return handle_; }
    // Throws UserError with the driver's reason unless a call succeeded.
    void require(SQLRETURN code, std::string_view doing) const {
        if (code != SQL_NO_DATA && !SQL_SUCCEEDED(code))
            throw UserError(fmt::format("The database can't {}: {}.", doing, diagnosis(SQL_HANDLE_STMT, handle_)));
    }

private:
    SQLHSTMT handle_ = nullptr;
};

SQLCHAR* bytesOf(const std::string& text) {
    return reinterpret_cast<SQLCHAR*>(const_cast<char*>(text.c_str()));
}

// A column of results: how it is read, and what was read of the batch.
struct ResultColumn {
    std::string name;
    Type type = Type::String;
    uint8_t scale = 0;
    Ref<Vector> values;
};

ResultColumn describedColumn(const Statement& statement, SQLUSMALLINT number) {
    SQLCHAR name[512] = {};
    SQLSMALLINT length = 0, sqlType = 0, digits = 0, nullable = 0;
    SQLULEN size = 0;
    statement.require(driverManager().describeCol(statement.get(), number, name, sizeof name, &length, &sqlType, &size,
                                                  &digits, &nullable),
                      "describe the result");
    ResultColumn column{.name = reinterpret_cast<const char*>(name)};
    switch (sqlType) {
        case SQL_BIT:
            column.type = Type::Bool;
            break;
        case SQL_TINYINT:
        case SQL_SMALLINT:
            column.type = Type::Short;
            break;
        case SQL_INTEGER:
            column.type = Type::Int;
            break;
        case SQL_BIGINT:
            column.type = Type::Long;
            break;
        case SQL_REAL:
            column.type = Type::Float;
            break;
        case SQL_FLOAT:
        case SQL_DOUBLE:
        case SQL_DECIMAL:
        case SQL_NUMERIC:
            column.type = Type::Double;
            break;
        case SQL_TYPE_DATE:
        case SQL_DATE:
            column.type = Type::Date;
            break;
        case SQL_TYPE_TIME:
        case SQL_TIME:
            column.type = Type::Second;
            break;
        case SQL_TYPE_TIMESTAMP:
        case SQL_TIMESTAMP:
            column.type = Type::NanoTimestamp;
            break;
        case SQL_BINARY:
        case SQL_VARBINARY:
        case SQL_LONGVARBINARY:
            column.type = Type::Blob;
            break;
        default:
            column.type = Type::String;
    }
    if (column.name.empty()) column.name = fmt::format("col{}", number - 1);
    return column;
}

// Reads a cell of a fixed size; false for NULL.
template <class T>
bool readFixed(const Statement& statement, SQLUSMALLINT number, SQLSMALLINT kind, T& cell) {
    SQLLEN length = 0;
    statement.require(driverManager().getData(statement.get(), number, kind, &cell, sizeof cell, &length),
                      "read a cell");
    return length != SQL_NULL_DATA;
}

// Reads a cell of any length, piece by piece; false for NULL.
bool readText(const Statement& statement, SQLUSMALLINT number, bool isBinary, std::string& text) {
    constexpr size_t kMostBytes = size_t{1} << 30;
    char piece[4096];
    text.clear();
    while (true) {
        SQLLEN length = 0;
        const SQLRETURN code = driverManager().getData(statement.get(), number, isBinary ? SQL_C_BINARY : SQL_C_CHAR,
                                                       piece, sizeof piece, &length);
        if (code == SQL_NO_DATA) return true;
        statement.require(code, "read a cell");
        if (length == SQL_NULL_DATA) return false;
        const size_t room = sizeof piece - !isBinary;
        const bool isWhole = length != SQL_NO_TOTAL && static_cast<size_t>(length) <= room;
        text.append(piece, isWhole ? static_cast<size_t>(length) : room);
        if (isWhole) return true;
        if (text.size() > kMostBytes) throw UserError("A cell of the result is longer than 1 GiB.");
    }
}

template <class T>
Value readInteger(const Statement& statement, SQLUSMALLINT number, SQLSMALLINT kind, Type type) {
    T cell{};
    return readFixed(statement, number, kind, cell) ? Value::scalar(type, cell) : Value::nullOf(type);
}

// Reads a cell as a scalar of the column's type.
Value readCell(const Statement& statement, SQLUSMALLINT number, Type type) {
    switch (type) {
        case Type::Bool:
            return readInteger<unsigned char>(statement, number, SQL_C_BIT, type);
        case Type::Short:
            return readInteger<int16_t>(statement, number, SQL_C_SSHORT, type);
        case Type::Int:
            return readInteger<int32_t>(statement, number, SQL_C_SLONG, type);
        case Type::Long:
            return readInteger<int64_t>(statement, number, SQL_C_SBIGINT, type);
        case Type::Float:
        case Type::Double: {
            double cell = 0;
            if (!readFixed(statement, number, SQL_C_DOUBLE, cell)) return Value::nullOf(type);
            return type == Type::Float ? Value::ofFloat(static_cast<float>(cell)) : Value::ofDouble(cell);
        }
        case Type::Date: {
            SQL_DATE_STRUCT cell{};
            if (!readFixed(statement, number, SQL_C_TYPE_DATE, cell)) return Value::nullOf(type);
            return Value::scalar(type,
                                 calendar::daysFromCivil(cell.year, std::clamp<int>(cell.month, 1, 12), cell.day));
        }
        case Type::Second: {
            SQL_TIME_STRUCT cell{};
            if (!readFixed(statement, number, SQL_C_TYPE_TIME, cell)) return Value::nullOf(type);
            return Value::scalar(type, cell.hour * 3600 + cell.minute * 60 + cell.second);
        }
        case Type::NanoTimestamp: {
            SQL_TIMESTAMP_STRUCT t{};
            if (!readFixed(statement, number, SQL_C_TYPE_TIMESTAMP, t)) return Value::nullOf(type);
            const int64_t days = calendar::daysFromCivil(t.year, std::clamp<int>(t.month, 1, 12), t.day);
            constexpr int64_t kMostDays = 106751;  // what nanoseconds reach
            if (days < -kMostDays || days > kMostDays) return Value::nullOf(type);
            const int64_t seconds = t.hour * 3600 + t.minute * 60 + t.second;
            return Value::scalar(type,
                                 days * calendar::kNanosPerDay + seconds * calendar::kNanosPerSecond + t.fraction);
        }
        default: {
            std::string text;
            const bool isThere = readText(statement, number, type == Type::Blob, text);
            return isThere ? Value::ofString(text, type) : Value::nullOf(type);
        }
    }
}

Ref<MemoryTable> tableOf(std::vector<ResultColumn>& columns) {
    auto table = makeRef<MemoryTable>();
    for (ResultColumn& column : columns) {
        table->setColumn(column.name, Value::of(std::move(column.values)));
        column.values = Vector::make(column.type, 0);
    }
    return table;
}

std::vector<ResultColumn> resultColumns(const Statement& statement) {
    SQLSMALLINT count = 0;
    statement.require(driverManager().numResultCols(statement.get(), &count), "describe the result");
    std::vector<ResultColumn> columns;
    for (SQLSMALLINT i = 1; i <= count; ++i) {
        ResultColumn column = describedColumn(statement, static_cast<SQLUSMALLINT>(i));
        std::string name = column.name;
        for (int k = 1; std::ranges::any_of(columns, [&](const auto& other) { return other.name == name; }); ++k)
            name = fmt::format("{}{}", column.name, k);
        column.name = name;
        column.values = Vector::make(column.type, 0);
        columns.push_back(std::move(column));
    }
    return columns;
}

// ---- rows to the database

bool contains(std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
}

// Returns the type that a column gets in a table that is made.
std::string_view typeText(Type type, std::string_view product) {
    const bool isPostgres = contains(product, "PostgreSQL"), isOracle = contains(product, "Oracle");
    switch (type) {
        case Type::Bool:
            return isPostgres ? "boolean" : isOracle ? "char(1)" : "bit";
        case Type::Char:
        case Type::Short:
            return "smallint";
        case Type::Int:
            return "int";
        case Type::Long:
            return isOracle ? "number" : "bigint";
        case Type::Date:
        case Type::Month:
            return "date";
        case Type::Time:
        case Type::Minute:
        case Type::Second:
        case Type::NanoTime:
            return "time";
        case Type::DateTime:
        case Type::DateHour:
        case Type::Timestamp:
        case Type::NanoTimestamp:
            return isPostgres || isOracle ? "timestamp" : "datetime";
        case Type::Float:
            return "float";
        case Type::Double:
            return isPostgres ? "double precision" : isOracle ? "binary_double" : "double";
        default:
            return isDecimal(type) ? "decimal(38, 10)" : "varchar(255)";
    }
}

std::string quoted(std::string_view name, std::string_view product) {
    const char mark = contains(product, "MySQL") || contains(product, "MariaDB") ? '`' : '"';
    std::string text(1, mark);
    for (const char c : name) {
        if (c == '\0') throw UserError("A name of a table or column holds a zero byte.");
        text.append(c == mark ? 2 : 1, c);
    }
    return text + mark;
}

// One value to be bound to a place of a statement: its bytes live here while the statement runs.
struct Parameter {
    SQLSMALLINT cKind = SQL_C_CHAR, sqlKind = SQL_VARCHAR;
    SQLULEN size = 255;
    SQLSMALLINT digits = 0;
    int64_t integer = 0;
    double real = 0;
    std::string text;
    SQL_DATE_STRUCT date{};
    SQL_TIMESTAMP_STRUCT time{};
    SQLLEN length = 0;

    SQLPOINTER place() {
        switch (cKind) {
            case SQL_C_SBIGINT:
                return &integer;
            case SQL_C_DOUBLE:
                return &real;
            case SQL_C_TYPE_DATE:
                return &date;
            case SQL_C_TYPE_TIMESTAMP:
                return &time;
            default:
                return text.data();
        }
    }
};

void setTimestamp(Parameter& p, const Value& cell) {
    const int64_t nanos = cast(cell, Type::NanoTimestamp).integer();
    const int64_t days = calendar::floorDivide(nanos, calendar::kNanosPerDay),
                  rest = nanos - days * calendar::kNanosPerDay;
    const calendar::CivilDate day = calendar::civilFromDays(days);
    const int64_t seconds = rest / calendar::kNanosPerSecond;
    // Databases keep six digits of a second at most, and refuse more.
    const auto micros = static_cast<SQLUINTEGER>(rest % calendar::kNanosPerSecond / 1000 * 1000);
    p.time = {static_cast<SQLSMALLINT>(day.year),
              static_cast<SQLUSMALLINT>(day.month),
              static_cast<SQLUSMALLINT>(day.day),
              static_cast<SQLUSMALLINT>(seconds / 3600),
              static_cast<SQLUSMALLINT>(seconds / 60 % 60),
              static_cast<SQLUSMALLINT>(seconds % 60),
              micros};
}

// Sets a parameter to a cell.
void setParameter(Parameter& p, const Value& cell, Type type) {
    p.length = cell.isNull() ? SQL_NULL_DATA : 0;
    switch (type) {
        case Type::Bool:
        case Type::Char:
        case Type::Short:
        case Type::Int:
        case Type::Long:
            p.cKind = SQL_C_SBIGINT;
            p.sqlKind = type == Type::Bool ? SQL_BIT : SQL_BIGINT;
            if (!cell.isNull()) p.integer = cell.integer();
            return;
        case Type::Float:
        case Type::Double:
            p.cKind = SQL_C_DOUBLE;
            p.sqlKind = SQL_DOUBLE;
            if (!cell.isNull()) p.real = cell.asDouble();
            return;
        case Type::Date:
        case Type::Month: {
            p.cKind = SQL_C_TYPE_DATE;
            p.sqlKind = SQL_TYPE_DATE;
            p.size = 10;
            if (cell.isNull()) return;
            const calendar::CivilDate day = calendar::civilFromDays(cast(cell, Type::Date).integer());
            p.date = {static_cast<SQLSMALLINT>(day.year), static_cast<SQLUSMALLINT>(day.month),
                      static_cast<SQLUSMALLINT>(day.day)};
            return;
        }
        case Type::DateTime:
        case Type::DateHour:
        case Type::Timestamp:
        case Type::NanoTimestamp:
            p.cKind = SQL_C_TYPE_TIMESTAMP;
            p.sqlKind = SQL_TYPE_TIMESTAMP;
            p.size = 26;
            p.digits = 6;
            if (!cell.isNull()) setTimestamp(p, cell);
            return;
        default:
            p.text = cell.isNull() ? "" : cell.isString() ? std::string(cell.string()) : toString(cell);
            p.size = std::max<SQLULEN>(1, p.text.size());
            if (!cell.isNull()) p.length = static_cast<SQLLEN>(p.text.size());
    }
}

// Keeps a transaction open; what was not committed is rolled back.
class Transaction {
public:
    explicit Transaction(SQLHDBC connection) : connection_(connection) { setAuto(SQL_AUTOCOMMIT_OFF); }
    ~Transaction() {
        if (!isDone_) driverManager().endTran(SQL_HANDLE_DBC, connection_, SQL_ROLLBACK);
        setAuto(SQL_AUTOCOMMIT_ON);
    }
    Transaction(const Transaction&) = delete;
    Transaction& operator=(const Transaction&) = delete;
    void commit() {
        if (!SQL_SUCCEEDED(driverManager().endTran(SQL_HANDLE_DBC, connection_, SQL_COMMIT)))
            throw UserError(fmt::format("The database can't commit: {}.", diagnosis(SQL_HANDLE_DBC, connection_)));
        isDone_ = true;
    }

private:
    void setAuto(SQLULEN mode) {
        driverManager().setConnectAttr(connection_, SQL_ATTR_AUTOCOMMIT, reinterpret_cast<SQLPOINTER>(mode),
                                       SQL_IS_UINTEGER);
    }
    SQLHDBC connection_;
    bool isDone_ = false;
};

std::string insertText(const MemoryTable& rows, const std::string& table, bool ignoresDuplicates,
                       std::string_view product) {
    std::string names, places;
    for (const ColumnSchema& column : rows.columns()) {
        names += (names.empty() ? "" : ", ") + quoted(column.name, product);
        places += places.empty() ? "?" : ", ?";
    }
    const bool isMySql = contains(product, "MySQL") || contains(product, "MariaDB");
    const std::string_view verb = !ignoresDuplicates            ? "insert into"
                                  : isMySql                     ? "insert ignore into"
                                  : contains(product, "SQLite") ? "insert or ignore into"
                                                                : "insert into";
    const std::string_view end = ignoresDuplicates && contains(product, "PostgreSQL") ? " on conflict do nothing" : "";
    return fmt::format("{} {} ({}) values ({}){}", verb, table, names, places, end);
}

std::string createText(const MemoryTable& rows, const std::string& table, std::string_view product) {
    std::string columns;
    for (const ColumnSchema& column : rows.columns())
        columns += fmt::format("{}{} {}", columns.empty() ? "" : ", ", quoted(column.name, product),
                               typeText(column.type, product));
    return fmt::format("create table if not exists {} ({})", table, columns);
}

}  // namespace

OdbcConnection::OdbcConnection(const std::string& connectionString) {
    const DriverManager& l = driverManager();
    const MutexLock lock(mutex_);
    if (!SQL_SUCCEEDED(l.allocHandle(SQL_HANDLE_ENV, SQL_NULL_HANDLE, &environment_)))
        throw SystemError("ODBC gives no environment.");
    l.setEnvAttr(environment_, SQL_ATTR_ODBC_VERSION, reinterpret_cast<SQLPOINTER>(SQL_OV_ODBC3), 0);
    SQLHDBC connection = nullptr;
    if (!SQL_SUCCEEDED(l.allocHandle(SQL_HANDLE_DBC, environment_, &connection))) {
        l.freeHandle(SQL_HANDLE_ENV, environment_);
        throw SystemError("ODBC gives no connection.");
    }
    constexpr SQLULEN kLoginSeconds = 30;
    l.setConnectAttr(connection, SQL_ATTR_LOGIN_TIMEOUT, reinterpret_cast<SQLPOINTER>(kLoginSeconds), SQL_IS_UINTEGER);
    const SQLRETURN code =
        l.driverConnect(connection, nullptr, bytesOf(connectionString),
                        static_cast<SQLSMALLINT>(connectionString.size()), nullptr, 0, nullptr, SQL_DRIVER_NOPROMPT);
    if (!SQL_SUCCEEDED(code)) {
        const std::string reason = diagnosis(SQL_HANDLE_DBC, connection);
        l.freeHandle(SQL_HANDLE_DBC, connection);
        l.freeHandle(SQL_HANDLE_ENV, environment_);
        throw UserError(0, fmt::format("The database can't be connected to: {}.", reason),
                        "Look at the names of drivers with odbcinst -q -d.");
    }
    connection_ = connection;
    char name[256] = {};
    SQLSMALLINT length = 0;
    l.getInfo(connection, SQL_DBMS_NAME, name, sizeof name, &length);
    product_ = name;
}

void OdbcConnection::close() {
    const MutexLock lock(mutex_);
    if (connection_ == nullptr) return;
    driverManager().disconnect(connection_);
    driverManager().freeHandle(SQL_HANDLE_DBC, connection_);
    driverManager().freeHandle(SQL_HANDLE_ENV, environment_);
    connection_ = nullptr;
}

SQLHDBC OdbcConnection::open() {
    if (connection_ == nullptr) throw UserError(0, "The connection is closed.", "Call odbc::connect again.");
    return connection_;
}

void OdbcConnection::run(Context& context, const std::string& text, int64_t batchRows,
                         const std::function<void(Ref<MemoryTable>)>& f) {
    bool isFirst = true, hasMore = true;
    const MutexLock lock(mutex_);
    const Statement statement(open());
    statement.require(driverManager().execDirect(statement.get(), bytesOf(text), static_cast<SQLINTEGER>(text.size())),
                      "run the statement");
    std::vector<ResultColumn> columns = resultColumns(statement);
    if (columns.empty()) return;
    int64_t rows = 0;
    while (hasMore) {
        if (rows % 256 == 0) context.checkCancelled();
        const SQLRETURN code = driverManager().fetch(statement.get());
        statement.require(code, "read rows");
        hasMore = code != SQL_NO_DATA;
        for (size_t c = 0; hasMore && c < columns.size(); ++c)
            columns[c].values->append(readCell(statement, static_cast<SQLUSMALLINT>(c + 1), columns[c].type));
        rows += hasMore;
        if (rows == batchRows || (!hasMore && (rows > 0 || isFirst))) {
            f(tableOf(columns));
            isFirst = false;
            rows = 0;
        }
    }
}

void OdbcConnection::append(Context& context, const MemoryTable& rows, const std::string& table, bool makesTable,
                            bool ignoresDuplicates) {
    const MutexLock lock(mutex_);
    Transaction transaction(open());
    if (makesTable) {
        const std::string text = createText(rows, table, product_);
        const Statement create(connection_);
        create.require(driverManager().execDirect(create.get(), bytesOf(text), static_cast<SQLINTEGER>(text.size())),
                       "make the table");
    }
    const std::string text = insertText(rows, table, ignoresDuplicates, product_);
    const Statement insert(connection_);
    insert.require(driverManager().prepare(insert.get(), bytesOf(text), static_cast<SQLINTEGER>(text.size())),
                   "prepare the rows");
    std::vector<Parameter> parameters(rows.columns().size());
    for (int64_t row = 0; row < rows.rowCount(); ++row) {
        if (row % 256 == 0) context.checkCancelled();
        for (size_t c = 0; c < parameters.size(); ++c) {
            Parameter& p = parameters[c];
            setParameter(p, rows.column(static_cast<int>(c)).at(row), rows.columns()[c].type);
            insert.require(driverManager().bindParameter(insert.get(), static_cast<SQLUSMALLINT>(c + 1),
                                                         SQL_PARAM_INPUT, p.cKind, p.sqlKind, p.size, p.digits,
                                                         p.place(), static_cast<SQLLEN>(p.text.size()), &p.length),
                           "take a cell");
        }
        insert.require(driverManager().execute(insert.get()), fmt::format("insert row {}", row));
    }
    transaction.commit();
}

}  // namespace pelorus::odbc
