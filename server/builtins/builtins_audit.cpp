// Built-ins that read the audit log: who came, who was refused, and who changed what.
#include <fmt/format.h>

#include <ctime>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <unordered_map>

#include "common/error.h"
#include "common/io/audit.h"
#include "common/log.h"
#include "runtime/registry/function_theme.h"
#include "runtime/registry/registry.h"
#include "runtime/table/table.h"
#include "runtime/value/cast.h"
#include "runtime/value/vector.h"
#include "server/builtins/server_builtins.h"

namespace pelorus {
namespace {

constexpr int64_t kMaxLines = 1'000'000;
constexpr int64_t kLinesBetweenChecks = 4096;
constexpr int64_t kNanosPerSecond = 1'000'000'000;

struct AuditRow {
    std::string user, operation, detail, database, table, address, node;
    int64_t start = 0;
    int64_t end = null<int64_t>;  // NULL until the outcome of a change is known
    int32_t port = null<int32_t>;
    bool failed = false;
};

// The log has UTC; the language's times are local.
int64_t localNanosOf(int64_t nanos) {
    const std::time_t seconds = nanos / kNanosPerSecond;
    std::tm local{};
    localtime_r(&seconds, &local);
    return nanos + local.tm_gmtoff * kNanosPerSecond;
}

// [userId], [startTime], [endTime], [opType]
class AuditFilter {
public:
    explicit AuditFilter(Arguments arguments)
        : users_(namesOf(arguments, 0, "userId")),
          start_(timeOf(arguments, 1, "startTime", 0)),
          end_(timeOf(arguments, 2, "endTime", std::numeric_limits<int64_t>::max())),
          operations_(namesOf(arguments, 3, "opType")) {
        if (end_ <= start_) throw UserError(2, "endTime must be later than startTime.");
    }

    bool takes(const AuditRow& row) const {
        const int64_t time = isNull(row.end) ? row.start : row.end;
        return !row.failed && time >= start_ && time <= end_ && (users_.empty() || users_.count(row.user)) &&
               (operations_.empty() || operations_.count(row.operation));
    }

private:
    static const Value* given(Arguments arguments, int i) {
        const Value& v = arguments[static_cast<size_t>(i)];
        return isOmitted(v) || v.isVoid() || (v.isScalar() && v.isNull()) ? nullptr : &v;
    }

    static std::set<std::string, std::less<>> namesOf(Arguments arguments, int i, const char* parameter) {
        std::set<std::string, std::less<>> names;
        const Value* v = given(arguments, i);
        if (!v) return names;
        if (!v->isString() && !v->isVector())
            throw UserError(i, fmt::format("{} must be one or more STRINGs.", parameter));
        for (int64_t at = 0; at < v->size(); ++at) {
            const Value element = v->isScalar() ? *v : v->at(at);
            if (!element.isString()) throw UserError(i, fmt::format("{} must be one or more STRINGs.", parameter));
            names.emplace(element.string());
        }
        return names;
    }

    static int64_t timeOf(Arguments arguments, int i, const char* parameter, int64_t usual) {
        const Value* v = given(arguments, i);
        if (!v) return usual;
        const Category category = categoryOf(v->type());
        const bool hasDay = v->type() == Type::Date || v->type() == Type::Month || v->type() == Type::DateTime ||
                            v->type() == Type::Timestamp || v->type() == Type::DateHour ||
                            v->type() == Type::NanoTimestamp;
        if (v->isScalar() && category == Category::Integral) return v->asLong();
        if (v->isScalar() && hasDay) return cast(*v, Type::NanoTimestamp).asLong();
        throw UserError(i, fmt::format("{} must be an integer, or a time with its day.", parameter),
                        "Give a DATE, MONTH, DATEHOUR, DATETIME, TIMESTAMP or NANOTIMESTAMP.");
    }

    const std::set<std::string, std::less<>> users_;
    const int64_t start_;
    const int64_t end_;
    const std::set<std::string, std::less<>> operations_;
};

// The events of one kind, each with the outcome that a later line has.
class AuditRows {
public:
    AuditRows(std::string_view kind, Context& context) : kind_(kind) {
        int64_t lines = 0;
        readAuditLines(kMaxLines, [&](std::string_view line) {
            if (++lines % kLinesBetweenChecks == 0) context.checkCancelled();
            const nlohmann::json parsed = nlohmann::json::parse(line, nullptr, false);
            try {
                if (parsed.is_discarded()) {
                    ++damaged_;
                } else {
                    take(parsed);
                }
            } catch (const nlohmann::json::exception&) {
                ++damaged_;
            }
        });
        if (damaged_ > 0) logWarning("audit", "damaged lines of the audit log are left out", {{"lines", damaged_}});
    }

    const std::vector<AuditRow>& rows() const { return rows_; }

private:
    void take(const nlohmann::json& line) {
        const int64_t change = line.value("change", int64_t{0});
        if (line.contains("state")) {
            const auto intent = changes_.find(change);
            if (intent == changes_.end()) return;  // the beginning is of another kind, or in a deleted file
            AuditRow& row = rows_[intent->second];
            row.end = localNanosOf(line.at("time").get<int64_t>());
            row.failed = line.at("state").get<std::string>() != "done";
            const std::string detail = line.value("detail", "");
            if (!detail.empty()) row.detail += (row.detail.empty() ? "" : ", ") + detail;
            changes_.erase(intent);
            return;
        }
        if (line.at("kind").get<std::string>() != kind_) return;
        AuditRow row;
        row.start = localNanosOf(line.at("time").get<int64_t>());
        row.user = line.at("user").get<std::string>();
        row.operation = line.at("operation").get<std::string>();
        row.detail = line.value("detail", "");
        row.database = line.value("database", "");
        row.table = line.value("table", "");
        row.address = line.value("address", "");
        row.port = line.value("port", null<int32_t>);
        row.node = line.value("node", "");
        if (change != 0) changes_[change] = rows_.size();
        rows_.push_back(std::move(row));
    }

    const std::string_view kind_;
    std::vector<AuditRow> rows_;
    std::unordered_map<int64_t, size_t> changes_;  // rows of changes whose outcome is not known yet
    int64_t damaged_ = 0;
};

class AuditColumns {
public:
    AuditColumns(const AuditRows& rows, const AuditFilter& filter) {
        for (const AuditRow& row : rows.rows()) {
            if (filter.takes(row)) taken_.push_back(&row);
        }
    }
    void addString(const char* name, std::string AuditRow::*member) {
        std::vector<std::string> strings;
        for (const AuditRow* row : taken_) strings.push_back(row->*member);
        add(name, Value::of(Vector::ofStrings(strings)));
    }
    void addTime(const char* name, int64_t AuditRow::*member) {
        std::vector<int64_t> times;
        for (const AuditRow* row : taken_) times.push_back(row->*member);
        add(name, Value::of(Vector::of<int64_t>(Type::NanoTimestamp, times)));
    }
    void addNulls(const char* name) {
        add(name, Value::of(Vector::of<int64_t>(Type::Long, std::vector<int64_t>(taken_.size(), null<int64_t>))));
    }
    void addClient() {
        std::vector<std::string> addresses;
        std::vector<int32_t> ports;
        for (const AuditRow* row : taken_) {
            addresses.push_back(row->address);
            ports.push_back(row->port);
        }
        add("remoteIp", cast(Value::of(Vector::ofStrings(addresses)), Type::IpAddr));
        add("remotePort", Value::of(Vector::of<int32_t>(Type::Int, ports)));
        addString("nodeAlias", &AuditRow::node);
    }
    Value table() { return Value::of(Ref<Table>(makeRef<MemoryTable>(std::move(names_), std::move(columns_)))); }

private:
    void add(const char* name, Value column) {
        names_.emplace_back(name);
        columns_.push_back(std::move(column));
    }

    std::vector<const AuditRow*> taken_;
    std::vector<std::string> names_;
    std::vector<Value> columns_;
};

Value auditLog(Context& context, Arguments arguments) {
    const AuditFilter filter(arguments);
    const AuditRows rows("data", context);
    AuditColumns columns(rows, filter);
    columns.addString("userId", &AuditRow::user);
    columns.addTime("startTime", &AuditRow::start);
    columns.addTime("endTime", &AuditRow::end);
    columns.addString("dbName", &AuditRow::database);
    columns.addString("tbName", &AuditRow::table);
    columns.addString("opType", &AuditRow::operation);
    columns.addString("opDetail", &AuditRow::detail);
    columns.addNulls("tid");
    columns.addNulls("cid");
    columns.addClient();
    return columns.table();
}

Value accessAuditLog(Context& context, Arguments arguments) {
    const AuditFilter filter(arguments);
    const AuditRows rows("access", context);
    AuditColumns columns(rows, filter);
    columns.addString("userId", &AuditRow::user);
    columns.addTime("time", &AuditRow::start);
    columns.addString("opType", &AuditRow::operation);
    columns.addString("opDetail", &AuditRow::detail);
    columns.addClient();
    return columns.table();
}

constexpr const char* kParameters =
    "userId: one or more users; all when left out\n"
    "startTime: the first time, as an integer of nanoseconds since 1970 or as a time with its day\n"
    "endTime: the last time; now when left out\n"
    "opType: one or more operations; all when left out";
constexpr const char* kErrors = "The user is no administrator; endTime is not later than startTime.";
constexpr const char* kComplexity = "O(lines of the log); of more than 1,000,000 lines, the newest are read.";

}  // namespace

void registerAuditBuiltins(FunctionRegistry& registry) {
    const FunctionFamily family(registry, Facet::Admin, Effect::Stable);
    const FunctionTheme theme("users and rights");
    registry.add("getAuditLog([userId], [startTime], [endTime], [opType])", auditLog,
                 {.summary = "A table of the changes of databases, tables and their rows, oldest first. A change that "
                             "failed is left out; endTime is NULL while one runs, and where the server died in it. tid "
                             "and cid are always NULL.",
                  .parameters = kParameters,
                  .errors = kErrors,
                  .complexity = kComplexity,
                  .example = "select userId, startTime, opType from getAuditLog(\"ann\", 2024.01.02T00:00:00) where "
                             "dbName = \"dfs://TAQ\""});
    registry.add(
        "getAclAuditLog([userId], [startTime], [endTime], [opType])", accessAuditLog,
        {.summary = "A table of logins, connections, refused requests, and changes of users, rights and "
                    "catalogs, oldest first. A change that failed is left out.",
         .parameters = kParameters,
         .errors = kErrors,
         .complexity = kComplexity,
         .example = "select time, userId, opType, opDetail from getAclAuditLog(\"ann\", 2024.01.02T00:00:00)"});
}

}  // namespace pelorus
