#include "server/jobs/schedules.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "common/check.h"
#include "common/error.h"
#include "common/log.h"
#include "common/thread/thread_start.h"
#include "runtime/function/portable.h"
#include "runtime/serialize/value_codec.h"
#include "runtime/value/vector.h"
#include "server/jobs/job_log.h"
#include "server/jobs/job_queue.h"
#include "server/session/session_registry.h"

namespace pelorus {
namespace {

// In the metadata store: never rename.
//   schedule/<id>       the schedule and its functions
//   schedule-last/<id>  "<minute> <node> claimed|done|missed": the newest time that was taken, in minutes since 1970
constexpr std::string_view kSchedules = "schedule/";
constexpr std::string_view kLast = "schedule-last/";
constexpr int32_t kFormat = 1;
constexpr size_t kMaxSchedules = 10'000;
// Stored functions are values of an entry of the store; etcd takes 1.5 MB.
constexpr size_t kMaxBytes = size_t{1} << 20;
// Missed times that are logged one by one; earlier ones of the same absence are left out.
constexpr size_t kMaxMissed = 10;
constexpr int64_t kMillisPerMinute = 60'000;
constexpr auto kRetry = std::chrono::seconds(1);
// The clock may be set: it is read again that often.
constexpr int64_t kMaxSleepMillis = 30'000;

std::string keyOf(std::string_view prefix, std::string_view id) {
    return std::string(prefix) + std::string(id);
}

std::string minuteString(int64_t minute) {
    const std::time_t seconds = minute * 60;
    std::tm time{};
    gmtime_r(&seconds, &time);
    return fmt::format("{:04}.{:02}.{:02}T{:02}:{:02}", time.tm_year + 1900, time.tm_mon + 1, time.tm_mday,
                       time.tm_hour, time.tm_min);
}

std::string dateString(int64_t millis) {
    std::string string = minuteString(millis / kMillisPerMinute).substr(0, 10);
    string.erase(std::remove(string.begin(), string.end(), '.'), string.end());
    return string;
}

Value numbers(const std::vector<int>& elements) {
    Ref<Vector> vector = Vector::make(Type::Int, static_cast<int64_t>(elements.size()));
    for (size_t i = 0; i < elements.size(); ++i) vector->set(static_cast<int64_t>(i), Value::ofInt(elements[i]));
    return Value::of(std::move(vector));
}

std::vector<int> numbersOf(const Value& value) {
    std::vector<int> elements;
    for (int64_t i = 0; i < value.size(); ++i) elements.push_back(static_cast<int>(value.at(i).asLong()));
    return elements;
}

std::string encode(const Schedule& s, const Ref<Function>& function, const Ref<Function>& onComplete) {
    std::string bytes;
    const ScheduleRule& rule = s.rule;
    encodeValue(Value::of(makeRef<Tuple>(std::vector<Value>{
                    Value::ofInt(kFormat), Value::ofString(s.owner), Value::ofString(s.description),
                    numbers(rule.minutes), Value::ofLong(rule.startDay), Value::ofLong(rule.endDay),
                    Value::ofString(std::string(1, rule.frequency)), numbers(rule.days), Value::ofInt(s.priority),
                    Value::ofInt(s.parallelism), Value::ofLong(s.createdMillis), Value::ofBool(bool(onComplete))})),
                Peer::Node, bytes);
    encodeValue(Value::of(function), Peer::Node, bytes);
    if (onComplete) encodeValue(Value::of(onComplete), Peer::Node, bytes);
    return bytes;
}

void requireStorableFunction(const Ref<Function>& function) {
    const Ref<Function>* inner = &function;
    while (const auto* partial = dynamic_cast<const PartialFunction*>(inner->get())) inner = &partial->function();
    if (const Closure* closure = closureOf(**inner)) requireStorable(*closure);
}

}  // namespace

struct Schedules::Known {
    Schedule schedule;
    std::string stored;  // the functions follow at `functionAt`
    size_t functionAt = 0;
    bool hasOnComplete = false;
    uint64_t revision = 0;
    int64_t lastMinute = 0;
    std::string lastNode, lastState;
    uint64_t lastRevision = 0;  // 0: there is no entry
};

Schedules::Schedules(MetaStore& store, JobQueue& queue, Options options)
    : store_(store), queue_(queue), options_(std::move(options)) {}

Schedules::~Schedules() {
    stop();
}

void Schedules::start() {
    CHECK(!thread_.joinable()) << "schedules start once";
    thread_ = startThread([this] { loop(); });
}

void Schedules::stop() {
    {
        const MutexLock lock(mutex_);
        isStopping_ = true;
    }
    changed_.notifyAll();
    if (thread_.joinable()) thread_.join();
}

static int64_t millisOf(const std::function<int64_t()>& clock) {
    return clock ? clock() : localMillis();
}

std::string Schedules::add(Schedule schedule, const Ref<Function>& function, const Ref<Function>& onComplete) {
    schedule.rule.require();
    requireStorableFunction(function);
    if (onComplete) requireStorableFunction(onComplete);
    schedule.createdMillis = millisOf(options_.localMillis);
    const std::string bytes = encode(schedule, function, onComplete);
    if (bytes.size() > kMaxBytes) {
        throw UserError(2,
                        fmt::format("The function with its data has {} bytes; a schedule keeps at most {}.",
                                    bytes.size(), kMaxBytes),
                        "Read the data when the job runs.");
    }
    const int64_t now = schedule.createdMillis / kMillisPerMinute;
    if (!schedule.rule.next(now)) {
        throw UserError(5, "The schedule has no time after " + minuteString(now) + ".",
                        "See startDate, endDate and days.");
    }
    const std::string wanted = schedule.id, dated = wanted + dateString(schedule.createdMillis);
    for (int n = -2;; ++n) {
        const std::string id = n == -2 ? wanted : n == -1 ? dated : fmt::format("{}{:03}", dated, n);
        if (store_.get(keyOf(kSchedules, id))) continue;
        const MetaRead known = store_.range(std::string(kSchedules), 0, kMaxSchedules);
        if (known.entries.size() >= kMaxSchedules)
            throw UserError(fmt::format("{} schedules are kept, which is the most.", kMaxSchedules));
        // The claim that a former schedule of this id left is overwritten.
        const MetaOutcome outcome = store_.transact(
            {{keyOf(kSchedules, id), 0}},
            {{keyOf(kSchedules, id), bytes}, {keyOf(kLast, id), fmt::format("{} {} done", now, options_.node)}});
        if (!outcome.done) continue;  // somebody was faster
        schedule.id = id;
        tell(schedule, "was made");
        return id;
    }
}

void Schedules::remove(const std::string& id) {
    for (;;) {
        const auto entry = store_.get(keyOf(kSchedules, id));
        if (!entry) throw UserError(0, "There is no schedule " + id + ".", "getScheduledJobs() lists them.");
        const MetaOutcome outcome = store_.transact({{entry->key, entry->revision}},
                                                    {{entry->key, std::nullopt}, {keyOf(kLast, id), std::nullopt}});
        if (outcome.done) return tell({.id = id}, "was deleted");
    }
}

std::vector<Schedule> Schedules::all() const {
    std::vector<Schedule> schedules;
    for (const auto& [id, known] : read()) schedules.push_back(known.schedule);
    return schedules;
}

std::map<std::string, Schedules::Known> Schedules::read() const {
    std::map<std::string, Known> schedules;
    const MetaRead stored = store_.range(std::string(kSchedules));
    for (const MetaEntry& entry : stored.entries) {
        Known known;
        Schedule& s = known.schedule;
        s.id = entry.key.substr(kSchedules.size());
        known.stored = entry.value;
        known.revision = entry.revision;
        try {
            StringSource source(known.stored);
            const Value header = decodeValue(source, Peer::Node);
            const std::vector<Value>& parts = savedParts(header, 12);
            if (parts[0].asLong() != kFormat) throw UserError("its form is that of a newer version");
            s.owner = parts[1].string();
            s.description = parts[2].string();
            const std::string_view frequency = parts[6].string();
            s.rule = {numbersOf(parts[3]), parts[4].asLong(), parts[5].asLong(), frequency.empty() ? ' ' : frequency[0],
                      numbersOf(parts[7])};
            s.rule.require();
            s.priority = static_cast<int>(parts[8].asLong());
            s.parallelism = static_cast<int>(parts[9].asLong());
            s.createdMillis = parts[10].asLong();
            known.hasOnComplete = parts[11].asLong() != 0;
            known.functionAt = source.position();
        } catch (const Error& error) {
            logWarning("jobs", "a schedule cannot be read", {{"id", s.id}, {"why", error.what()}});
            continue;
        }
        known.lastMinute = s.createdMillis / kMillisPerMinute;
        schedules.emplace(s.id, std::move(known));
    }
    // Both ranges are read at one revision: the entry of a deleted schedule is missing in both.
    for (const MetaEntry& entry : store_.range(std::string(kLast), stored.revision).entries) {
        const auto found = schedules.find(entry.key.substr(kLast.size()));
        if (found == schedules.end()) continue;
        Known& known = found->second;
        known.lastRevision = entry.revision;
        const size_t first = entry.value.find(' '), second = entry.value.rfind(' ');
        if (first == std::string::npos || second == first) continue;
        known.lastMinute = std::strtoll(entry.value.c_str(), nullptr, 10);
        known.lastNode = entry.value.substr(first + 1, second - first - 1);
        known.lastState = entry.value.substr(second + 1);
    }
    return schedules;
}

void Schedules::tell(const Schedule& schedule, const std::string& string) const {
    logInfo("jobs", "schedule", {{"id", schedule.id}, {"what", string}});
    if (options_.log) options_.log->writeSchedule(schedule.id, schedule.owner, string);
}

// Takes the times up to this one for this node. False when another node was faster, or the schedule was changed: the
// store is read again then. A SystemError leaves open who has it: nobody fires, and the entry says that it was claimed.
bool Schedules::claim(const Known& known, int64_t minute, bool isMissed) {
    const std::string& id = known.schedule.id;
    return store_
        .transact({{keyOf(kSchedules, id), known.revision}, {keyOf(kLast, id), known.lastRevision}},
                  {{keyOf(kLast, id), fmt::format("{} {} {}", minute, options_.node, isMissed ? "missed" : "claimed")}})
        .done;
}

void Schedules::submit(const Known& known, int64_t minute) {
    const Schedule& s = known.schedule;
    const std::string when = minuteString(minute);
    try {
        StringSource source(std::string_view(known.stored).substr(known.functionAt));
        const auto functionFrom = [&source] {
            const Value value = decodeValue(source, Peer::Node);
            if (!value.isFunction()) throw UserError("The schedule holds no function.");
            return Ref<Function>(&value.function());
        };
        const auto functions = std::make_shared<std::vector<StoredFunction>>();
        functions->emplace_back(functionFrom());
        JobWork work{.function = functions->front().function(), .owner = functions};
        if (known.hasOnComplete) {
            functions->emplace_back(functionFrom());
            work.onComplete = functions->back().function();
        }
        const std::string job = queue_.submit({.id = s.id,
                                               .description = s.description,
                                               .userId = s.owner,
                                               .priority = s.priority,
                                               .parallelism = s.parallelism},
                                              std::move(work));
        firedHere_[s.id] = minute;
        tell(s, "fired for " + when + " as job " + job + " on " + options_.node);
    } catch (const std::exception& error) {
        // The owner was deleted, the queue is full, the function is unknown to this version.
        logWarning("jobs", "a schedule did not run", {{"id", s.id}, {"time", when}, {"why", error.what()}});
        tell(s, "did not run for " + when + ": " + error.what());
    }
}

// A node that died between claim and job, or lost the store over a claim, finds its claim later: the time is missed,
// unless only the note that it fired is not there.
void Schedules::settleOwnClaim(const Known& known) {
    if (known.lastState != "claimed" || known.lastNode != options_.node) return;
    const std::string& id = known.schedule.id;
    const auto fired = firedHere_.find(id);
    const bool hasFired = fired != firedHere_.end() && fired->second == known.lastMinute;
    const MetaOutcome outcome = store_.transact(
        {{keyOf(kSchedules, id), known.revision}, {keyOf(kLast, id), known.lastRevision}},
        {{keyOf(kLast, id), fmt::format("{} {} {}", known.lastMinute, options_.node, hasFired ? "done" : "missed")}});
    if (outcome.done && !hasFired)
        tell(known.schedule, "missed " + minuteString(known.lastMinute) + ": the node ended over it");
}

int64_t Schedules::fire(const Known& known, int64_t nowMillis) {
    const int64_t now = nowMillis / kMillisPerMinute;
    const std::vector<int64_t> due = known.schedule.rule.between(known.lastMinute, now, kMaxMissed);
    if (due.empty()) return known.schedule.rule.next(std::max(now, known.lastMinute)).value_or(INT64_MAX);
    const int64_t newest = due.back();
    const bool isMissed = nowMillis - newest * kMillisPerMinute > options_.graceMillis;
    if (claim(known, newest, isMissed)) {
        for (const int64_t minute : due) {
            if (minute == newest && !isMissed) break;
            logWarning("jobs", "a schedule was missed", {{"id", known.schedule.id}, {"time", minuteString(minute)}});
            tell(known.schedule, "missed " + minuteString(minute) + ": no node ran");
        }
        if (!isMissed) {
            submit(known, newest);
            // Fails when the schedule was deleted meanwhile, and then leaves nothing.
            if (const auto entry = store_.get(keyOf(kLast, known.schedule.id)))
                store_.transact({{entry->key, entry->revision}},
                                {{entry->key, fmt::format("{} {} done", newest, options_.node)}});
        }
    }
    return 0;  // read again
}

void Schedules::loop() {
    bool settles = true;  // claims of this node may be left over: at the start, and after a failure of the store
    std::map<std::string, Known> schedules;
    MutexLock lock(mutex_);
    while (!isStopping_) {
        const bool isStale = std::exchange(isStale_, false);
        lock.unlock();
        int64_t next = INT64_MAX;
        bool hasFailed = false;
        try {
            if (!watch_) {
                const uint64_t revision = store_.range("schedule", 0, 1).revision;
                watch_ = store_.watch("schedule", revision, [this](const std::vector<MetaChange>&) {
                    const MutexLock guard(mutex_);
                    isStale_ = true;
                    changed_.notifyAll();
                });
            }
            if (isStale) schedules = read();
            if (settles) {
                for (const auto& [id, known] : schedules) settleOwnClaim(known);
                schedules = read();
                settles = false;
            }
            const int64_t now = millisOf(options_.localMillis);
            for (const auto& [id, known] : schedules) next = std::min(next, fire(known, now));
        } catch (const std::exception& error) {
            logWarning("jobs", "schedules wait for the store", {{"why", error.what()}});
            hasFailed = settles = true;
        }
        lock.lock();
        if (hasFailed || next == 0) isStale_ = true;
        if (isStopping_) break;
        if (hasFailed) {
            changed_.waitFor(lock, kRetry);
        } else if (!isStale_) {
            const int64_t now = millisOf(options_.localMillis);
            const int64_t wait = next == INT64_MAX ? kMaxSleepMillis : next * kMillisPerMinute - now;
            changed_.waitFor(lock, std::chrono::milliseconds(std::clamp<int64_t>(wait, 0, kMaxSleepMillis)));
        }
    }
    lock.unlock();
    watch_.reset();  // outside of the lock, which its callback takes
}

}  // namespace pelorus
