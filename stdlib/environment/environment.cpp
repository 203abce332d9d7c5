// The machine and the process that a script runs on.
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <fstream>

#include "common/error.h"
#include "common/language_settings.h"
#include "common/thread/mutex.h"
#include "runtime/memory/allocator.h"
#include "runtime/memory/budget.h"
#include "runtime/value/dictionary.h"
#include "stdlib/arguments.h"
#include "stdlib/register_builtins.h"

namespace pelorus {

namespace {

Value getEnvKernel(Context&, Arguments arguments) {
    const char* found = std::getenv(stringArgument(arguments, 0, "name").c_str());
    return Value::ofString(found ? std::string(found) : stringArgument(arguments, 1, "default", ""));
}

Value getOSKernel(Context&, Arguments) {
    return Value::ofString("linux");
}

constexpr double kMaxGigabytes = 1 << 20;

Value setMaxMemSizeKernel(Context&, Arguments arguments) {
    const double gigabytes = realArgument(arguments, 0, "memSizeGB");
    if (!(gigabytes > 0 && gigabytes <= kMaxGigabytes)) {
        throw UserError(0, "memSizeGB must be above 0 and at most 1048576.");
    }
    memory::setLimitBytes(static_cast<int64_t>(gigabytes * (1 << 30)));
    memory::keepFreedMemory();
    return {};
}

Value memoryKernel(Context&, Arguments arguments) {
    if (!arguments.empty() && flagArgument(arguments, 0, "freeUnusedBlocks", false))
        memory::shrinkCaches(memory::usedBytes());
    const int64_t allocated = memory::residentBytes(), used = memory::usedBytes();
    auto facts = makeRef<Dictionary>(Type::String, Type::Long, true);
    facts->set(Value::ofString("freeBytes"), Value::ofLong(std::max<int64_t>(0, allocated - used)));
    facts->set(Value::ofString("allocatedBytes"), Value::ofLong(allocated));
    return Value::of(facts);
}

double processorSeconds() {
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    const auto seconds = [](const timeval& t) {
        return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
    };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// Returns the CPU usage since the previous call, in percent of one core; 0 at the first call.
Value cpuUsageKernel(Context&, Arguments) {
    static Mutex mutex;  // guards the two below
    static double usedBefore = 0;
    static auto timeBefore = std::chrono::steady_clock::time_point{};
    const MutexLock guard(mutex);
    const auto now = std::chrono::steady_clock::now();
    const double used = processorSeconds();
    const double passed = std::chrono::duration<double>(now - timeBefore).count();
    const bool isFirst = timeBefore == std::chrono::steady_clock::time_point{};
    const double percent = isFirst || passed <= 0 ? 0 : (used - usedBefore) / passed * 100;
    usedBefore = used;
    timeBefore = now;
    return Value::ofDouble(percent);
}

Value loadKernel(Context&, Arguments) {
    double load[1];
    return ::getloadavg(load, 1) == 1 ? Value::ofDouble(load[0]) : Value::nullOf(Type::Double);
}

// shell(cmd).
Value shellKernel(Context&, Arguments arguments) {
    if (!languageSettings().enableShellFunction) {
        throw UserError("shell is switched off.", "Start the process with enableShellFunction=true in its settings.");
    }
    return Value::ofInt(std::system(stringArgument(arguments, 0, "cmd").c_str()));
}

}  // namespace

void registerEnvironment(FunctionRegistry& registry) {
    registry.add("getEnv(name, [default=\"\"])", getEnvKernel,
                 {.summary = "The value of an environment variable, as STRING; default when there is none.",
                  .example = "getEnv(\"NO_SUCH_VARIABLE\", \"none\") -> none"},
                 {.effect = Effect::Stable, .facet = Facet::Admin});
    registry.add("getOS()", getOSKernel, {.summary = "The operating system: linux.", .example = "getOS() -> linux"},
                 kReads);
    registry.add("mem([freeUnusedBlocks=false])", memoryKernel,
                 {.summary = "A dictionary of the memory that the process has: allocatedBytes, and freeBytes that "
                             "nothing uses.",
                  .parameters = "freeUnusedBlocks: true also empties caches and gives free memory back to the system",
                  .units = "bytes",
                  .example = "mem()\n"
                             "mem(true)"},
                 {.effect = Effect::Writes});
    registry.add("setMaxMemSize(memSizeGB, [emergencyMemSizeGB])", setMaxMemSizeKernel,
                 {.summary = "Sets the limit on the memory of this process until it ends: caches give way first, then "
                             "a request that needs more ends with an error.",
                  .parameters = "emergencyMemSizeGB: accepted; what small requests may have above the limit follows "
                                "from it",
                  .units = "GB",
                  .errors = "memSizeGB is not a positive number.",
                  .example = "setMaxMemSize(8)"},
                 {.effect = Effect::Writes, .facet = Facet::Admin});
    registry.add("getMemoryStat()", memoryKernel,
                 {.summary = "A dictionary of the memory that the process has, as of mem.",
                  .units = "bytes",
                  .example = "getMemoryStat()"},
                 kReads);
    registry.add("getSystemCpuUsage()", cpuUsageKernel,
                 {.summary = "How busy this process has kept the processors since the call before, as DOUBLE.",
                  .units = "percent of one processor, so that several count more than 100",
                  .example = "getSystemCpuUsage()"},
                 {.effect = Effect::Volatile});
    registry.add(
        "shell(cmd)", shellKernel,
        {.summary = "Runs a command of the operating system and returns what its system function gives, 0 when "
                    "all went well.",
         .errors = "The setting enableShellFunction is not true.",
         .example = "shell(\"gzip /data/quotes.csv\")"},
        {.effect = Effect::Writes, .facet = Facet::Admin});
    registry.add("getSystemLoadAvg()", loadKernel,
                 {.summary = "How many threads of the machine ran or waited in the last minute, as DOUBLE.",
                  .example = "getSystemLoadAvg()"},
                 kReads);
}

}  // namespace pelorus
