// Built-ins about schedules: functions that become batch jobs at times of day.
#include <algorithm>

#include "common/error.h"
#include "common/hide_secrets.h"
#include "common/io/audit.h"
#include "runtime/function/function.h"
#include "runtime/function/principal.h"
#include "runtime/registry/function_theme.h"
#include "runtime/registry/registry.h"
#include "runtime/table/table.h"
#include "runtime/table/table_access.h"
#include "runtime/value/vector.h"
#include "server/builtins/server_builtins.h"
#include "server/builtins/server_services.h"
#include "server/jobs/schedules.h"

namespace pelorus {
namespace {

constexpr size_t kMaxIdBytes = 200;
constexpr size_t kMaxDescriptionBytes = 4096;

Schedules& schedules(Context& context) {
    return requireService<Schedules>(context, "Schedules");
}

const Value& argument(Arguments arguments, size_t i) {
    static const Value none;
    return i < arguments.size() ? arguments[i] : none;
}

std::string idArgument(const Value& v) {
    if (!v.isString() || v.string().empty() || v.string().size() > kMaxIdBytes) {
        throw UserError(0, "jobId must be a STRING of 1 to " + std::to_string(kMaxIdBytes) + " bytes.");
    }
    std::string id(v.string());
    if (std::any_of(id.begin(), id.end(), [](unsigned char c) { return c < ' ' || c == '/' || c == 0x7f; }))
        throw UserError(0, "jobId must have no slash and no control characters.");
    return id;
}

Ref<Function> functionArgument(const Value& v, int i, const char* name, int parameters) {
    if (!v.isFunction()) {
        throw UserError(i, std::string(name) + " must be a function.",
                        "Give the function itself, not its name in quotes.");
    }
    Ref<Function> function(&v.function());
    const Signature& signature = function->signature();
    if (signature.minArguments() > parameters || signature.maxArguments() < parameters) {
        throw UserError(
            i,
            std::string(name) + " must take " + (parameters == 0 ? "no" : std::to_string(parameters)) + " arguments.",
            parameters == 0 ? "Fix them by a partial application, as in f{1, `a}."
                            : "They are jobId, jobDesc, success and result.");
    }
    return function;
}

int64_t dayArgument(const Value& v, int i, const char* name) {
    if (!v.isScalar() || v.type() != Type::Date || v.isNull())
        throw UserError(i, std::string(name) + " must be a DATE, as 2024.01.31.");
    return v.integer();
}

std::vector<int> integersArgument(const Value& v, int i, const char* name, bool asMinutes) {
    std::vector<int> elements;
    if (v.isVoid()) return elements;
    const bool isList = v.isTypedVector() || v.isScalar();
    if (!isList || v.size() > 1440) throw UserError(i, std::string(name) + " must be a scalar or a vector.");
    const int64_t count = v.isScalar() ? 1 : v.size();
    for (int64_t n = 0; n < count; ++n) {
        const Value element = v.isScalar() ? v : v.at(n);
        const bool fits =
            asMinutes ? element.type() == Type::Minute : element.isNumber() && element.type() != Type::Minute;
        if (!fits || element.isNull()) {
            throw UserError(i, std::string(name) + (asMinutes ? " must be of the type MINUTE, as 17:30m, and not NULL."
                                                              : " must be integers, and none of them NULL."));
        }
        const int64_t number = element.asLong();
        elements.push_back(static_cast<int>(std::clamp<int64_t>(number, -1, 1'000'000)));
    }
    std::sort(elements.begin(), elements.end());
    return elements;
}

char frequencyArgument(const Value& v) {
    if (v.type() == Type::Char && v.isScalar() && !v.isNull()) return static_cast<char>(v.integer());
    if (v.isString() && v.string().size() == 1) return v.string()[0];
    throw UserError(6, "frequency must be 'D' (daily), 'W' (days of the week) or 'M' (of the month).");
}

int rankArgument(const Value& v, int i, const char* name, int low, int usual) {
    if (v.isVoid()) return usual;
    if (!v.isScalar() || !v.isNumber() || v.isNull() || v.asLong() < low || v.asLong() > 8) {
        throw UserError(i, std::string(name) + " must be a number from " + std::to_string(low) + " to 8.");
    }
    return static_cast<int>(v.asLong());
}

Value scheduleJob(Context& context, Arguments arguments) {
    Schedule schedule;
    schedule.id = idArgument(argument(arguments, 0));
    const Ref<Function> function = functionArgument(argument(arguments, 2), 2, "jobFunc", 0);
    for (const Value& given : arguments) refuseTablesOfCaller(context, given, "a schedule");
    const Value& description = argument(arguments, 1);
    if (!description.isVoid() && (!description.isString() || description.string().size() > kMaxDescriptionBytes)) {
        throw UserError(1, "jobDesc must be a STRING of at most " + std::to_string(kMaxDescriptionBytes) + " bytes.");
    }
    schedule.description = description.isVoid() ? std::string(function->name()) : hideSecrets(description.string());
    schedule.owner = context.principal().user();
    schedule.rule.minutes = integersArgument(argument(arguments, 3), 3, "scheduleTime", true);
    schedule.rule.startDay = dayArgument(argument(arguments, 4), 4, "startDate");
    schedule.rule.endDay = dayArgument(argument(arguments, 5), 5, "endDate");
    schedule.rule.frequency = frequencyArgument(argument(arguments, 6));
    schedule.rule.days = integersArgument(argument(arguments, 7), 7, "days", false);
    const Value& onComplete = argument(arguments, 8);
    const Ref<Function> completion =
        onComplete.isVoid() ? Ref<Function>() : functionArgument(onComplete, 8, "onComplete", 4);
    schedule.priority = rankArgument(argument(arguments, 9), 9, "priority", 0, 4);
    // 0, which the family takes, means one thread, too.
    schedule.parallelism = std::max(1, rankArgument(argument(arguments, 10), 10, "parallelism", 0, 2));
    const std::string detail = "jobId=" + schedule.id;
    AuditedChange change({.operation = "scheduleJob", .detail = detail});
    const std::string id = schedules(context).add(std::move(schedule), function, completion);
    change.done();
    return Value::ofString(id);
}

Value deleteScheduledJob(Context& context, Arguments arguments) {
    const std::string id = idArgument(argument(arguments, 0));
    for (const Schedule& schedule : schedules(context).all()) {
        if (schedule.id == id && !context.principal().mayManageWorkOf(schedule.owner))
            throw UserError(0, "The schedule " + id + " belongs to another user.", "RefId: S00009");
    }
    const std::string detail = "jobId=" + id;
    AuditedChange change({.operation = "deleteScheduledJob", .detail = detail});
    schedules(context).remove(id);
    change.done();
    return Value();
}

// Returns whether `string` matches a pattern in which % is any string and ? any character, in time O(string.size() ·
// pattern.size()).
bool matches(std::string_view string, std::string_view pattern) {
    size_t t = 0, p = 0, star = std::string_view::npos, marked = 0;
    while (t < string.size()) {
        if (p < pattern.size() && pattern[p] == '%') {
            star = p++;
            marked = t;
        } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == string[t])) {
            ++p, ++t;
        } else if (star != std::string_view::npos) {
            p = star + 1;
            t = ++marked;
        } else {
            return false;
        }
    }
    while (p < pattern.size() && pattern[p] == '%') ++p;
    return p == pattern.size();
}

// One time or day is a scalar of the column, as clients show it; several are a vector.
Value oneOrMore(const std::vector<int>& elements, Type type) {
    if (elements.empty()) return Value::nullOf(type);
    if (elements.size() == 1) return Value::scalar(type, elements[0]);
    Ref<Vector> vector = Vector::make(type, static_cast<int64_t>(elements.size()));
    for (size_t i = 0; i < elements.size(); ++i) vector->set(static_cast<int64_t>(i), Value::scalar(type, elements[i]));
    return Value::of(std::move(vector));
}

// A column of the type where each row has one element; else of ANY.
Value columnOf(std::vector<Value> elements, Type type) {
    const bool isPlain = std::all_of(elements.begin(), elements.end(), [](const Value& v) { return v.isScalar(); });
    if (!isPlain) return Value::of(makeRef<Tuple>(std::move(elements)));
    Ref<Vector> vector = Vector::make(type, static_cast<int64_t>(elements.size()));
    for (size_t i = 0; i < elements.size(); ++i) vector->set(static_cast<int64_t>(i), elements[i]);
    return Value::of(std::move(vector));
}

Value getScheduledJobs(Context& context, Arguments arguments) {
    const Value& pattern = argument(arguments, 0);
    if (!pattern.isVoid() && !pattern.isString()) throw UserError(0, "jobIdPattern must be a STRING.");
    std::vector<Value> owners, ids, descriptions, starts, ends, frequencies, times, days;
    for (const Schedule& s : schedules(context).all()) {
        if (!context.principal().mayManageWorkOf(s.owner)) continue;
        if (!pattern.isVoid() && !pattern.string().empty() && !matches(s.id, pattern.string())) continue;
        owners.push_back(Value::ofString(s.owner));
        ids.push_back(Value::ofString(s.id));
        descriptions.push_back(Value::ofString(s.description));
        starts.push_back(Value::scalar(Type::Date, s.rule.startDay));
        ends.push_back(Value::scalar(Type::Date, s.rule.endDay));
        frequencies.push_back(Value::ofChar(static_cast<int8_t>(s.rule.frequency)));
        times.push_back(oneOrMore(s.rule.minutes, Type::Minute));
        days.push_back(oneOrMore(s.rule.days, Type::Int));
    }
    std::vector<Value> columns;
    columns.push_back(columnOf(std::move(owners), Type::String));
    columns.push_back(columnOf(std::move(ids), Type::String));
    columns.push_back(columnOf(std::move(descriptions), Type::String));
    columns.push_back(columnOf(std::move(starts), Type::Date));
    columns.push_back(columnOf(std::move(ends), Type::Date));
    columns.push_back(columnOf(std::move(frequencies), Type::Char));
    columns.push_back(columnOf(std::move(times), Type::Minute));
    columns.push_back(columnOf(std::move(days), Type::Int));
    return Value::of(
        Ref<Table>(makeRef<MemoryTable>(std::vector<std::string>{"userId", "jobId", "jobDesc", "startDate", "endDate",
                                                                 "frequency", "scheduleTime", "days"},
                                        std::move(columns))));
}

}  // namespace

void registerScheduleBuiltins(FunctionRegistry& registry) {
    const FunctionFamily family(registry, Facet::Public, Effect::Writes);
    const FunctionTheme theme("sessions and jobs");
    registry.add(
        "scheduleJob(jobId, jobDesc, jobFunc, scheduleTime, startDate, endDate, frequency, [days], [onComplete], "
        "[priority=4], [parallelism=2])",
        scheduleJob,
        {.summary = "Keeps a function that runs as a batch job at times of day, and returns the schedule's id. It "
                    "survives restarts; in a cluster each time runs on one node.",
         .parameters = "jobId: a name; the date and a number are added when it is taken\n"
                       "jobFunc: a function that takes no arguments, as the partial application f{1}\n"
                       "scheduleTime: one or more MINUTEs, at least 5 minutes apart, in the node's local time\n"
                       "startDate, endDate: DATEs, both included\n"
                       "frequency: 'D' daily, 'W' on days of the week, 'M' on days of the month\n"
                       "days: for 'W' 0 (Sunday) to 6, for 'M' 1 to 31\n"
                       "onComplete: a function of jobId, jobDesc, success and result, called when the job has ended\n"
                       "priority: 0 to 8\nparallelism: threads, up to 8",
         .errors = "A parameter is none of these, no time is left, or the function cannot be kept: it and another one "
                   "call each other, or it holds a handle of the session.",
         .example = "def check() { return checkTables(\"dfs://TAQ\") }; scheduleJob(\"nightly\", \"checksums of TAQ\", "
                    "check, 02:30m, 2026.01.01, 2026.12.31, 'D')"});
    registry.add("getScheduledJobs([jobIdPattern])", getScheduledJobs,
                 {.summary = "A table of the caller's schedules; administrators see those of all.",
                  .parameters = "jobIdPattern: an id, in which % stands for any string and ? for any character",
                  .example = "getScheduledJobs(\"night%\")"},
                 kReads);
    registry.add("deleteScheduledJob(jobId)", deleteScheduledJob,
                 {.summary = "Removes a schedule. A job that it has started goes on.",
                  .errors = "There is no such schedule, or it is another user's and the caller is no administrator.",
                  .example = "deleteScheduledJob(\"nightly\")"});
}

}  // namespace pelorus
