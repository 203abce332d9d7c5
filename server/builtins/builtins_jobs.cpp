// Built-ins about jobs: batch jobs in the background, and requests of clients' consoles.
#include <algorithm>
#include <set>
#include <string>

#include "common/error.h"
#include "common/hide_secrets.h"
#include "common/io/audit.h"
#include "common/thread/cancellation.h"
#include "database/service/node_identity.h"
#include "database/service/status_table.h"
#include "interpreter/session/session.h"
#include "runtime/function/principal.h"
#include "runtime/memory/budget.h"
#include "runtime/registry/function_theme.h"
#include "runtime/registry/registry.h"
#include "runtime/table/table_access.h"
#include "runtime/value/dictionary.h"
#include "server/access/access_control.h"
#include "server/builtins/server_builtins.h"
#include "server/builtins/server_services.h"
#include "server/jobs/job_queue.h"
#include "server/session/request_limits.h"
#include "server/session/session_registry.h"

namespace pelorus {
namespace {

constexpr size_t kMaxIdBytes = 256;

JobQueue& queue(Context& context) {
    auto* jobs = context.service<JobQueue>();
    if (!jobs) throw UserError("Jobs exist only in a server.", "Start one with `pelorus serve`.");
    return *jobs;
}

SessionRegistry& sessions(Context& context) {
    auto* registry = context.service<SessionRegistry>();
    if (!registry) throw UserError("Console jobs exist only in a server.", "Start one with `pelorus serve`.");
    return *registry;
}

std::string stringArgument(const Value& v, int i, const char* name) {
    if (!v.isString()) throw UserError(i, std::string(name) + " must be a STRING.");
    return std::string(v.string());
}

int numberArgument(const Value& v, int i, const char* name, int low, int high) {
    if (!v.isNumber() || v.isNull() || v.asLong() < low || v.asLong() > high) {
        throw UserError(i, std::string(name) + " must be a number from " + std::to_string(low) + " to " +
                               std::to_string(high) + ".");
    }
    return static_cast<int>(v.asLong());
}

Ref<Function> functionArgument(const Value& v, int i, const char* name) {
    if (!v.isFunction()) {
        throw UserError(i, std::string(name) + " must be a function.",
                        "Give the function itself, not its name in quotes.");
    }
    return Ref<Function>(&v.function());
}

Value submit(Context& context, Arguments arguments, int functionAt, JobStatus job, Ref<Function> onComplete = {}) {
    const auto at = static_cast<size_t>(functionAt);
    JobWork work{.onComplete = std::move(onComplete)};
    if (context.session) work.owner = static_cast<Session*>(context.session)->cells();
    work.function = functionArgument(arguments.size() > at ? arguments[at] : Value(), functionAt, "jobDef");
    if (!arguments[0].isVoid()) job.id = stringArgument(arguments[0], 0, "jobId");
    if (job.id.size() > kMaxIdBytes) {
        throw UserError(0, "jobId must have at most " + std::to_string(kMaxIdBytes) + " bytes.");
    }
    job.description = arguments[1].isVoid() ? std::string(work.function->name())
                                            : hideSecrets(stringArgument(arguments[1], 1, "jobDesc"));
    job.userId = context.principal().user();
    if (auto* registry = context.service<SessionRegistry>()) {
        const SessionStatus session = registry->status(context.request->sessionId);
        job.clientHost = session.remoteHost;
        job.clientPort = session.remotePort;
    }
    for (const Value& argument : arguments) refuseTablesOfCaller(context, argument, "a job");
    work.arguments.assign(arguments.begin() + functionAt + 1, arguments.end());
    return Value::ofString(queue(context).submit(std::move(job), std::move(work)));
}

Value submitJob(Context& context, Arguments arguments) {
    return submit(context, arguments, 2, {});
}

JobStatus rankOf(Arguments arguments) {
    JobStatus job;
    job.priority = numberArgument(arguments[2], 2, "priority", 0, 9);
    job.parallelism = numberArgument(arguments[3], 3, "parallelism", 1, 64);
    return job;
}

Value submitJobEx(Context& context, Arguments arguments) {
    if (arguments.size() < 4) throw UserError("submitJobEx needs a priority and a parallelism.");
    return submit(context, arguments, 4, rankOf(arguments));
}

Value submitJobEx2(Context& context, Arguments arguments) {
    if (arguments.size() < 5) throw UserError("submitJobEx2 needs a priority, a parallelism and onComplete.");
    return submit(context, arguments, 5, rankOf(arguments), functionArgument(arguments[4], 4, "onComplete"));
}

// Changes what jobs of a user may have at most.
template <class Change>
Value changeCaps(Context& context, Arguments arguments, const char* what, Change change) {
    const std::string user = stringArgument(arguments[0], 0, "userId");
    AuditedChange audited({.operation = what, .detail = user});
    requireService<AccessControl>(context, "Users").changeLimits(user, change);
    audited.done();
    return Value();
}

Value setMaxJobPriority(Context& context, Arguments arguments) {
    const int most = numberArgument(arguments[1], 1, "maxPriority", 0, 8);
    return changeCaps(context, arguments, "setMaxJobPriority",
                      [most](UserEntry& entry) { entry.maxJobPriority = most; });
}

Value setMaxJobParallelism(Context& context, Arguments arguments) {
    const int most = numberArgument(arguments[1], 1, "maxParallelism", 1, 64);
    return changeCaps(context, arguments, "setMaxJobParallelism",
                      [most](UserEntry& entry) { entry.maxJobParallelism = most; });
}

constexpr double kBytesPerGigabyte = 1 << 30;

RequestLimits& limits(Context& context) {
    return requireService<RequestLimits>(context, "Limits of results");
}

Value setMemLimitOfQueryResult(Context& context, Arguments arguments) {
    const double gigabytes = arguments[0].isNumber() && !arguments[0].isNull() ? arguments[0].asDouble() : -1;
    const double most = 0.8 * static_cast<double>(memory::limitBytes()) / kBytesPerGigabyte;
    if (!(gigabytes > 0) || (memory::limitBytes() > 0 && gigabytes > most)) {
        throw UserError(0, "memLimit must be a number of GB above 0 and at most 80 % of maxMemSize, which are " +
                               std::to_string(most) + ".");
    }
    limits(context).maxResultBytes = static_cast<int64_t>(gigabytes * kBytesPerGigabyte);
    return Value();
}

Value getMemLimitOfQueryResult(Context& context, Arguments) {
    return Value::ofDouble(static_cast<double>(limits(context).maxResultBytes.load()));
}

Value time(int64_t millis) {
    return millis ? Value::scalar(Type::Timestamp, millis) : Value::nullOf(Type::Timestamp);
}

Value jobTable(Context& context, const std::vector<JobStatus>& jobs) {
    const TableSchema schema = {{"node", Type::String, 0, ""},         {"userID", Type::String, 0, ""},
                                {"jobId", Type::String, 0, ""},        {"rootJobId", Type::String, 0, ""},
                                {"jobDesc", Type::String, 0, ""},      {"priority", Type::Char, 0, ""},
                                {"parallelism", Type::Int, 0, ""},     {"clientIp", Type::String, 0, ""},
                                {"clientPort", Type::Int, 0, ""},      {"receivedTime", Type::Timestamp, 0, ""},
                                {"startTime", Type::Timestamp, 0, ""}, {"endTime", Type::Timestamp, 0, ""},
                                {"errorMsg", Type::String, 0, ""}};
    const auto* node = context.service<NodeIdentity>();
    std::vector<std::vector<Value>> rows;
    for (const JobStatus& j : jobs) {
        rows.push_back({Value::ofString(node ? node->alias : ""), Value::ofString(j.userId), Value::ofString(j.id),
                        Value::ofString(j.rootJobId), Value::ofString(j.description),
                        Value::ofChar(static_cast<int8_t>(j.priority)), Value::ofInt(j.parallelism),
                        Value::ofString(j.clientHost), Value::ofInt(j.clientPort), time(j.receivedMillis),
                        time(j.startedMillis), time(j.endedMillis), Value::ofString(j.trouble())});
    }
    return statusTable(schema, rows);
}

bool maySee(const Context& context, const std::string& owner) {
    return context.principal().mayManageWorkOf(owner);
}

Value getRecentJobs(Context& context, Arguments arguments) {
    const int limit = arguments[0].isVoid() ? 0 : numberArgument(arguments[0], 0, "n", 1, INT32_MAX);
    std::vector<JobStatus> visible;
    for (JobStatus& job : queue(context).recent(0)) {
        if (!maySee(context, job.userId)) continue;
        if (limit && static_cast<int>(visible.size()) == limit) break;
        visible.push_back(std::move(job));
    }
    return jobTable(context, visible);
}

// Counts queued and running batch jobs. Tasks of queries are not queued one by one here.
Value getJobStat(Context& context, Arguments) {
    int32_t waiting = 0, running = 0;
    for (const JobStatus& job : queue(context).recent(0)) {
        if (job.endedMillis != 0) continue;
        ++(job.startedMillis == 0 ? waiting : running);
    }
    auto result = makeRef<Dictionary>(Type::String, Type::Int, true);
    const std::pair<const char*, int32_t> entries[] = {{"queuedLocalTasks", 0},
                                                       {"runningLocalTasks", 0},
                                                       {"queuedJobs", waiting},
                                                       {"runningJobs", running},
                                                       {"queuedRemoteTasks", 0}};
    for (const auto& [name, count] : entries) result->set(Value::ofString(name), Value::ofInt(count));
    return Value::of(result);
}

// Returns the id of a job that the user may see. Throws UserError otherwise.
std::string visibleJob(Context& context, const Value& argument) {
    const std::string id = stringArgument(argument, 0, "jobId");
    if (!maySee(context, queue(context).status(id).userId)) {
        throw UserError(0, "The job [" + id + "] belongs to another user.", "RefId: S00009");
    }
    return id;
}

Value getJobStatus(Context& context, Arguments arguments) {
    return jobTable(context, {queue(context).status(visibleJob(context, arguments[0]))});
}

Value getJobMessage(Context& context, Arguments arguments) {
    const std::string string = queue(context).messages(visibleJob(context, arguments[0]));
    return Value::ofString(string, string.size() > 65535 ? Type::Blob : Type::String);
}

Value getJobReturn(Context& context, Arguments arguments) {
    const bool blocking = !arguments[1].isVoid() && arguments[1].isNumber() && arguments[1].asLong() == 1;
    return queue(context).result(visibleJob(context, arguments[0]), blocking, context);
}

Value cancelJob(Context& context, Arguments arguments) {
    for (int64_t i = 0; i < arguments[0].size(); ++i) {
        checkCancelled();
        const Value id = arguments[0].at(i);
        const std::string string = stringArgument(id, 0, "jobId");
        bool known = true;
        try {
            visibleJob(context, id);
        } catch (const UserError& error) {
            known = false;
            if (context.request->print) context.request->print(error.what());
        }
        if (known) queue(context).cancel(string);
    }
    return Value();
}

struct TaskCounts {
    int32_t total = 1;
    int32_t finished = 0;
};

// The tasks of the query or loop that a request is at, one where it counts none.
TaskCounts tasksOf(const RunningRequest& running) {
    if (!running.progress) return {};
    const Progress::Snapshot progress = running.progress->snapshot();
    if (!progress.work || progress.unit != ProgressUnit::Tasks || progress.total < 1) return {};
    const auto shown = [](int64_t count) { return static_cast<int32_t>(std::clamp<int64_t>(count, 0, INT32_MAX)); };
    return {shown(progress.total), shown(std::min(progress.done, progress.total))};
}

Value getConsoleJobs(Context& context, Arguments) {
    const TableSchema schema = {{"node", Type::String, 0, ""},
                                {"userID", Type::String, 0, ""},
                                {"rootJobId", Type::String, 0, ""},
                                {"jobType", Type::String, 0, ""},
                                {"desc", Type::String, 0, ""},
                                {"priority", Type::Int, 0, ""},
                                {"parallelism", Type::Int, 0, ""},
                                {"receiveTime", Type::Timestamp, 0, ""},
                                {"sessionId", Type::Long, 0, ""},
                                {"remoteIP", Type::String, 0, ""},
                                {"remotePort", Type::Int, 0, ""},
                                {"totalTasks", Type::Int, 0, ""},
                                {"finishedTasks", Type::Int, 0, ""},
                                {"runningTask", Type::Int, 0, ""},
                                {"firstTaskStartTime", Type::Timestamp, 0, ""},
                                {"latestTaskStartTime", Type::Timestamp, 0, ""},
                                {"queue", Type::String, 0, ""}};
    const auto* node = context.service<NodeIdentity>();
    std::vector<std::vector<Value>> rows;
    for (const SessionStatus& s : sessions(context).all()) {
        if (!s.running.request || !maySee(context, s.userId)) continue;
        const TaskCounts tasks = tasksOf(s.running);
        rows.push_back({Value::ofString(node ? node->alias : ""), Value::ofString(s.userId),
                        Value::ofString(s.running.rootJobId), Value::ofString("script"),
                        Value::ofString(s.running.description), Value::ofInt(s.running.priority),
                        Value::ofInt(s.running.parallelism), time(s.running.receivedMillis),
                        s.showsIdTo(*context.request) ? Value::ofLong(s.id) : Value::nullOf(Type::Long),
                        Value::ofString(s.remoteHost), Value::ofInt(s.remotePort), Value::ofInt(tasks.total),
                        Value::ofInt(tasks.finished), Value::ofInt(1), time(s.running.receivedMillis),
                        time(s.running.receivedMillis), Value::ofString("normal queue")});
    }
    return statusTable(schema, rows);
}

Value cancelConsoleJob(Context& context, Arguments arguments) {
    SessionRegistry& registry = sessions(context);
    std::set<std::string> seen;
    for (const SessionStatus& s : registry.all()) {
        if (maySee(context, s.userId)) seen.insert(s.running.rootJobId);
    }
    for (int64_t i = 0; i < arguments[0].size(); ++i) {
        checkCancelled();
        const std::string id = stringArgument(arguments[0].at(i), 0, "rootJobId");
        if (seen.contains(id)) registry.cancel(id);
    }
    return arguments[0];
}

}  // namespace

void registerJobBuiltins(FunctionRegistry& registry) {
    const FunctionFamily family(registry, Facet::Public, Effect::Writes);
    const FunctionTheme theme("sessions and jobs");
    registry.add("submitJob(jobId, jobDesc, jobDef, args...)", submitJob,
                 {.summary = "Runs a function in the background and returns the job's id.",
                  .parameters = "jobId: a name; a number is added when it is taken\n"
                                "jobDesc: a STRING that getRecentJobs shows\n"
                                "jobDef: the function\n"
                                "args: its arguments",
                  .example = "submitJob(\"average\", \"mean price of a day\", def(day) { return exec avg(price) from "
                             "loadTable(\"dfs://TAQ\", \"trades\") where date = day }, 2024.01.02)"},
                 {.takesSharedTables = true});
    registry.add("submitJobEx(jobId, jobDesc, priority, parallelism, jobDef, args...)", submitJobEx,
                 {.summary = "submitJob with a priority from 0 to 9 and a number of threads from 1 to 64.",
                  .parameters = "jobId: a name; a number is added when it is taken\n"
                                "jobDesc: a STRING that getRecentJobs shows\n"
                                "priority: an integer from 0 to 9, of which 9 comes first\n"
                                "parallelism: for how many threads, from 1 to 64\n"
                                "jobDef: the function\n"
                                "args: its arguments",
                  .example = "submitJobEx(\"check\", \"checksums of TAQ\", 2, 8, checkTables, \"dfs://TAQ\")"},
                 {.takesSharedTables = true});
    registry.add("submitJobEx2(jobId, jobDesc, priority, parallelism, onComplete, jobDef, args...)", submitJobEx2,
                 {.summary = "submitJobEx with a function that is called once the job has ended, also with an error.",
                  .parameters = "jobId: a name; a number is added when it is taken\n"
                                "jobDesc: a STRING that getRecentJobs shows\n"
                                "priority: an integer from 0 to 9, of which 9 comes first\n"
                                "parallelism: for how many threads, from 1 to 64\n"
                                "onComplete: a function of four arguments: jobId, jobDesc, whether the job succeeded, "
                                "and its result or the text of its error\n"
                                "jobDef: the function\n"
                                "args: its arguments",
                  .errors = "onComplete or jobDef is no function. An error of onComplete is a message of the job.",
                  .example = "submitJobEx2(\"check\", \"checksums of TAQ\", 2, 8, def(id, desc, ok, result) { "
                             "writeLog(id + \": \" + string(ok)) }, checkTables, \"dfs://TAQ\")"},
                 {.takesSharedTables = true});
    registry.add("getMemLimitOfQueryResult()", getMemLimitOfQueryResult,
                 {.summary = "How many bytes the result of one request may take, as DOUBLE; 0 for no limit.",
                  .example = "getMemLimitOfQueryResult()"},
                 kReads);
    registry.add("getJobStat()", getJobStat,
                 {.summary = "How many batch jobs wait and run, as a dictionary; tasks of queries run at once and are "
                             "never queued, so they count 0.",
                  .example = "getJobStat().runningJobs"},
                 kReads);
    registry.add("getRecentJobs([n])", getRecentJobs,
                 {.summary = "A table of the newest n batch jobs, newest first.",
                  .example = "select jobId, endTime, errorMsg from getRecentJobs(10)"},
                 kReads);
    registry.add("getJobStatus(jobId)", getJobStatus,
                 {.summary = "A table of one row: the state of a batch job.",
                  .example = "select startTime, endTime, errorMsg from getJobStatus(\"average\")"},
                 kReads);
    registry.add("getJobMessage(jobId)", getJobMessage,
                 {.summary = "What a batch job printed, with times.", .example = "getJobMessage(\"average\")"}, kReads);
    registry.add("getJobReturn(jobId, [blocking=false])", getJobReturn,
                 {.summary = "The value of a batch job.",
                  .errors = "The job failed, or is not complete and blocking is false.",
                  .example = "getJobReturn(\"average\", true)"});
    registry.add("cancelJob(jobId)", cancelJob,
                 {.summary = "Stops one batch job, or those of a vector of ids.",
                  .example = "cancelJob(\"average\")\n"
                             "cancelJob(exec jobId from getRecentJobs() where isNull(endTime))"});
    registry.add("getConsoleJobs()", getConsoleJobs,
                 {.summary = "A table of the requests that clients' sessions run now, the caller's own among them.",
                  .example = "select userID, desc, rootJobId from getConsoleJobs()"},
                 kReads);
    registry.add("cancelConsoleJob(rootJobId)", cancelConsoleJob,
                 {.summary = "Stops requests by the ids that getConsoleJobs returns, and returns these.",
                  .example = "cancelConsoleJob(exec rootJobId from getConsoleJobs() where userID = \"ann\")"});
    const FunctionFamily administrators(registry, Facet::Admin, Effect::Writes);
    registry.add(
        "setMaxJobPriority(userId, maxPriority)", setMaxJobPriority,
        {.summary = "Sets the highest priority, 0 to 8, of a user's jobs; jobs that ask for more get this one.",
         .errors = "There is no such user, or the number is none of these.",
         .example = "setMaxJobPriority(\"ann\", 6)"});
    registry.add("setMaxJobParallelism(userId, maxParallelism)", setMaxJobParallelism,
                 {.summary = "Sets how many threads, 1 to 64, a job of a user may use at most.",
                  .errors = "There is no such user, or the number is none of these.",
                  .example = "setMaxJobParallelism(\"ann\", 4)"});
    registry.add("setMemLimitOfQueryResult(memLimit)", setMemLimitOfQueryResult,
                 {.summary = "Sets how many GB the result of one request may take, until the node restarts: a larger "
                             "one is an error, and is not sent.",
                  .errors = "memLimit is not above 0, or above 80 % of maxMemSize.",
                  .example = "setMemLimitOfQueryResult(2)"});
}

}  // namespace pelorus
