// Built-ins about the node as a process: its performance, folders, and the settings that change while it runs.
#include <limits.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <thread>

#include "common/error.h"
#include "common/io/audit.h"
#include "common/io/file.h"
#include "common/log.h"
#include "database/service/configuration.h"
#include "database/service/node_identity.h"
#include "runtime/function/principal.h"
#include "runtime/memory/budget.h"
#include "runtime/registry/function_theme.h"
#include "runtime/registry/registry.h"
#include "runtime/value/dictionary.h"
#include "runtime/value/vector.h"
#include "server/builtins/server_builtins.h"
#include "server/builtins/server_services.h"
#include "server/jobs/job_queue.h"
#include "server/session/request_limits.h"
#include "sql/query_monitor.h"

namespace pelorus {
namespace {

constexpr double kBytesPerGigabyte = 1 << 30;

Value mostOf(const std::vector<int64_t>& durations) {
    if (durations.empty()) return Value::nullOf(Type::Long);
    return Value::ofLong(*std::max_element(durations.begin(), durations.end()));
}

Value medianOf(std::vector<int64_t> durations) {
    if (durations.empty()) return Value::nullOf(Type::Long);
    const auto middle = durations.begin() + static_cast<int64_t>(durations.size() / 2);
    std::nth_element(durations.begin(), middle, durations.end());
    return Value::ofLong(*middle);
}

Value getPerf(Context& context, Arguments) {
    auto perf = makeRef<Dictionary>(Type::String, Type::Any, true);
    const auto set = [&perf](const char* name, Value value) { perf->set(Value::ofString(name), value); };
    int32_t waiting = 0, running = 0;
    if (const auto* jobs = context.service<JobQueue>()) {
        for (const JobStatus& job : jobs->recent(0)) {
            if (job.endedMillis == 0) ++(job.startedMillis == 0 ? waiting : running);
        }
    }
    const double cores = std::max(1U, std::thread::hardware_concurrency());
    double load[1] = {0};
    if (::getloadavg(load, 1) != 1) load[0] = 0;
    set("runningJobs", Value::ofInt(running));
    set("queuedJobs", Value::ofInt(waiting));
    set("jobLoad", Value::ofDouble(running / cores));
    set("avgLoad", Value::ofDouble(load[0] / cores));
    set("cpuUsage", Value::ofDouble(100 * std::min(1.0, load[0] / cores)));
    if (const auto* monitor = context.service<QueryMonitor>()) {
        const std::vector<int64_t> ten = monitor->durations(10), hundred = monitor->durations(100);
        set("maxLast10QueryTime", mostOf(ten));
        set("medLast10QueryTime", medianOf(ten));
        set("maxLast100QueryTime", mostOf(hundred));
        set("medLast100QueryTime", medianOf(hundred));
    }
    struct statvfs disk {};
    const auto* configuration = context.service<Configuration>();
    const auto folder = configuration ? configuration->values.find("home") : decltype(configuration->values.end()){};
    const std::string path =
        configuration && folder != configuration->values.end() && !folder->second.empty() ? folder->second : ".";
    if (::statvfs(path.c_str(), &disk) == 0) {
        const auto unit = static_cast<int64_t>(disk.f_frsize);
        const int64_t capacity = unit * static_cast<int64_t>(disk.f_blocks);
        const int64_t available = unit * static_cast<int64_t>(disk.f_bavail);
        set("diskCapacity", Value::ofLong(capacity));
        set("diskFreeSpace", Value::ofLong(available));
        set("diskFreeSpaceRatio",
            Value::ofDouble(capacity > 0 ? static_cast<double>(available) / static_cast<double>(capacity) : 0));
    }
    set("memoryUsed", Value::ofLong(memory::usedBytes()));
    set("memoryAlloc", Value::ofLong(memory::residentBytes()));
    const auto* node = context.service<NodeIdentity>();
    set("connectionNum", Value::ofInt(node ? node->connections.load() : 0));
    // Nobody counts these: present, since pages read them.
    for (const char* name : {"maxRunningQueryTime", "lastMinuteNetworkSend", "lastMinuteNetworkRecv",
                             "lastMinuteReadVolume", "lastMinuteWriteVolume", "lastMsgLatency", "cumMsgLatency",
                             "diskReadRate", "diskWriteRate", "networkSendRate", "networkRecvRate"}) {
        set(name, Value::nullOf(Type::Long));
    }
    if (const auto* monitor = context.service<QueryMonitor>()) {
        int64_t longest = 0;
        for (const MonitoredQuery& q : monitor->running()) longest = std::max(longest, monitor->nanosSince(q));
        set("maxRunningQueryTime", Value::ofLong(longest));
    }
    return Value::of(std::move(perf));
}

Value getExecDir(Context&, Arguments) {
    return Value::ofString(folderOfProgram());
}

Value getWorkDir(Context&, Arguments) {
    char path[PATH_MAX];
    if (!::getcwd(path, sizeof path)) throw SystemError("The working folder is not to be found.");
    return Value::ofString(path);
}

Value getOSBit(Context&, Arguments) {
    return Value::ofInt(static_cast<int32_t>(sizeof(void*) * CHAR_BIT));
}

void changeLogLevel(const Value& v, int argument) {
    if (!v.isString()) throw UserError(argument, "logLevel must be DEBUG, INFO, WARNING or ERROR, as a STRING.");
    std::string name(v.string());
    for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    minLogLevel.store(logLevelOf(name));
}

Value setLogLevel(Context&, Arguments arguments) {
    AuditedChange change({.operation = "setLogLevel"});
    changeLogLevel(arguments[0], 0);
    change.done();
    return Value();
}

double gigabytesArgument(const Value& v, const char* name, bool allowsZero) {
    const double gigabytes = v.isScalar() && v.isNumber() && !v.isNull() ? v.asDouble() : -1;
    if (gigabytes < 0 || (gigabytes == 0 && !allowsZero))
        throw UserError(1, std::string(name) + " must be a number of GB above 0.");
    return gigabytes;
}

struct DynamicSetting {
    const char* name;
    void (*change)(Context& context, const Value& value);
};

constexpr DynamicSetting kDynamic[] = {
    {"logLevel", [](Context&, const Value& v) { changeLogLevel(v, 1); }},
    {"maxConnections",
     [](Context& context, const Value& v) {
         if (!v.isScalar() || !v.isNumber() || v.isNull() || v.asLong() < 1 || v.asLong() > 10000)
             throw UserError(1, "maxConnections must be a number from 1 to 10000.");
         requireService<NodeIdentity>(context, "Connections").maxConnections = static_cast<int>(v.asLong());
     }},
    {"maxMemSize",
     [](Context&, const Value& v) {
         memory::setLimitBytes(static_cast<int64_t>(gigabytesArgument(v, "maxMemSize", false) * kBytesPerGigabyte));
     }},
    {"memLimitOfQueryResult",
     [](Context& context, const Value& v) {
         const double gigabytes = gigabytesArgument(v, "memLimitOfQueryResult", false);
         const auto most = 0.8 * static_cast<double>(memory::limitBytes());
         if (memory::limitBytes() > 0 && gigabytes * kBytesPerGigabyte > most)
             throw UserError(1, "memLimitOfQueryResult must be at most 80 % of maxMemSize.");
         requireService<RequestLimits>(context, "Limits of results").maxResultBytes =
             static_cast<int64_t>(gigabytes * kBytesPerGigabyte);
     }},
    {"maxQueryExecutionTime",
     [](Context& context, const Value& v) {
         if (!v.isScalar() || !v.isNumber() || v.isNull())
             throw UserError(1, "maxQueryExecutionTime must be a number of seconds; 0 for no limit.");
         requireService<RequestLimits>(context, "Limits of requests").maxRequestSeconds = std::max(0.0, v.asDouble());
     }},
};

Value getDynamicConfig(Context&, Arguments) {
    std::vector<std::string> names;
    for (const DynamicSetting& setting : kDynamic) names.emplace_back(setting.name);
    return Value::of(Vector::ofStrings(names));
}

Value setDynamicConfig(Context& context, Arguments arguments) {
    const std::string name = arguments[0].isString() ? std::string(arguments[0].string()) : "";
    const auto* setting =
        std::find_if(std::begin(kDynamic), std::end(kDynamic), [&](const DynamicSetting& s) { return name == s.name; });
    if (setting == std::end(kDynamic))
        throw UserError(0, "There is no setting '" + name + "' that changes while the node runs.",
                        "getDynamicConfig() lists them.");
    const std::string detail = "configName=" + name;
    AuditedChange change({.operation = "setDynamicConfig", .detail = detail});
    setting->change(context, arguments[1]);
    change.done();
    return Value();
}

}  // namespace

void registerPerformanceBuiltins(FunctionRegistry& registry) {
    const FunctionTheme theme("sessions and jobs");
    {
        const FunctionFamily family(registry, Facet::Public, Effect::Stable);
        registry.add(
            "getPerf()", getPerf,
            {.summary = "A dictionary of measures of this node: jobs, load, memory, disk, and how long queries "
                        "over tables of databases took.",
             .units = "nanoseconds of queries, bytes of memory and disk",
             .nulls = "NULL for what this version does not count: volumes and rates of network and disk.",
             .example = "getPerf().avgLoad"});
        registry.add(
            "getOSBit()", getOSBit,
            {.summary = "How many bits an address of the node's system has: 64.", .example = "getOSBit() -> 64"});
    }
    const FunctionFamily family(registry, Facet::Admin, Effect::Writes);
    registry.add("getExecDir()", getExecDir,
                 {.summary = "The folder of the running program.", .example = "getExecDir()"}, kReads);
    registry.add("getWorkDir()", getWorkDir,
                 {.summary = "The working folder of the process.", .example = "getWorkDir()"}, kReads);
    registry.add("setLogLevel(logLevel)", setLogLevel,
                 {.summary = "Sets which lines the log gets, until the node restarts: those of this level and above.",
                  .parameters = "logLevel: \"DEBUG\", \"INFO\", \"WARNING\" or \"ERROR\"",
                  .errors = "logLevel is none of these.",
                  .example = "setLogLevel(\"WARNING\")"});
    registry.add(
        "getDynamicConfig()", getDynamicConfig,
        {.summary = "The names of the settings that setDynamicConfig changes.", .example = "getDynamicConfig()"},
        kReads);
    registry.add(
        "setDynamicConfig(configName, configValue)", setDynamicConfig,
        {.summary = "Changes a setting of this node until it restarts; write it into the node's file to keep it.",
         .errors = "The setting is unknown or does not change while the node runs, or the value is none of it.",
         .example = "setDynamicConfig(\"maxQueryExecutionTime\", 60)"});
}

}  // namespace pelorus
