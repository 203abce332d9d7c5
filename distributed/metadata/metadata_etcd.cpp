#include "distributed/metadata/metadata_etcd.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <nlohmann/json.hpp>
#include <thread>

#include "common/check.h"
#include "common/error.h"
#include "common/io/base64.h"
#include "common/outside_json.h"
#include "common/thread/mutex.h"
#include "common/thread/thread_start.h"
#include "net/http_client.h"

namespace pelorus {
namespace {

using Json = nlohmann::json;

// The gateway writes 64-bit numbers as strings and leaves zeros out.
uint64_t number(const Json& object, const char* name) {
    const auto it = object.find(name);
    if (it == object.end()) return 0;
    return it->is_string() ? std::stoull(it->get<std::string>()) : it->get<uint64_t>();
}

std::string bytesOf(const Json& object, const char* name) {
    std::string bytes;
    const auto it = object.find(name);
    if (it != object.end() && !fromBase64(it->get<std::string>(), bytes)) {
        throw SystemError("etcd sent a value that is no base64.");
    }
    return bytes;
}

// Returns the first key after all that begin with `prefix`.
std::string endOfPrefix(std::string prefix) {
    while (!prefix.empty() && static_cast<unsigned char>(prefix.back()) == 0xff) prefix.pop_back();
    if (prefix.empty()) return std::string(1, '\0');  // etcd's notation of "no end"
    ++prefix.back();
    return prefix;
}

class EtcdStore final : public MetaStore {
public:
    EtcdStore(std::vector<std::string> endpoints, std::string prefix, int timeoutMillis)
        : endpoints_(std::move(endpoints)), prefix_(std::move(prefix)), timeoutMillis_(timeoutMillis) {}

    std::optional<MetaEntry> get(const std::string& key, uint64_t revision) override;
    MetaRead range(const std::string& prefix, uint64_t revision, size_t limit) override;
    MetaOutcome transact(const std::vector<MetaCondition>& conditions, const std::vector<MetaWrite>& writes) override;
    MetaAbsentOutcome putAbsent(const std::vector<MetaCondition>& conditions,
                                const std::vector<MetaPut>& puts) override;
    std::unique_ptr<Watch> watch(const std::string& prefix, uint64_t afterRevision, OnChange onChange,
                                 std::function<void()> onLost) override;
    uint64_t grantLease(int64_t timeoutMillis) override;
    bool keepAlive(uint64_t lease) override;
    void revokeLease(uint64_t lease) override;

    // A connection, and its endpoint: the one that answered last, or the next that can be reached.
    struct Link {
        std::unique_ptr<HttpClient> client;
        size_t endpoint = 0;
    };
    Link connect(int timeoutMillis);
    // Called when the endpoint does not answer properly: others are asked first from now on.
    void leave(size_t endpoint);
    int readTimeout() const {
        return endpoints_.size() > 1 ? std::min(timeoutMillis_, kNextEndpointMillis) : timeoutMillis_;
    }
    std::string encodedKey(const std::string& key) const { return toBase64(prefix_ + key); }
    std::string keyOf(const Json& entry) const { return bytesOf(entry, "key").substr(prefix_.size()); }
    std::string rangeEnd(const std::string& prefix) const { return toBase64(endOfPrefix(prefix_ + prefix)); }

private:
    // The timeouts of a member that hangs, or is cut off, when there are others to ask: of a read, and of a
    // transaction, which must not be sent twice without need.
    static constexpr int kNextEndpointMillis = 1000, kNextWriteMillis = 1500;
    // The timeout of a connection, which is tried anew rather than waited for: the network may be there again.
    static constexpr int kConnectMillis = 1000;
    int writeTimeout() const {
        return endpoints_.size() > 1 ? std::min(timeoutMillis_, kNextWriteMillis) : timeoutMillis_;
    }

    // Sends an idempotent request: when it gets no answer, it is sent to another endpoint.
    Json ask(const char* path, const Json& request);
    Json askOnce(const char* path, const Json& request, int timeoutMillis);
    MetaRead rangeOf(Json request, uint64_t revision);
    Json comparesOf(const std::vector<MetaCondition>& conditions) const;
    Json putOf(const MetaWrite& write) const;
    Link takeConnection(int timeoutMillis);

    const std::vector<std::string> endpoints_;
    const std::string prefix_;
    const int timeoutMillis_;
    Mutex mutex_;
    std::map<int, std::vector<Link>> idle_ GUARDED_BY(mutex_);  // by time limit
    size_t current_ GUARDED_BY(mutex_) = 0;                     // the endpoint that answered last
};

EtcdStore::Link EtcdStore::connect(int timeoutMillis) {
    size_t first;
    {
        const MutexLock lock(mutex_);
        first = current_;
    }
    std::string reasons;
    for (size_t i = 0; i < endpoints_.size(); ++i) {
        const size_t at = (first + i) % endpoints_.size();
        const std::string& endpoint = endpoints_[at];
        const size_t colon = endpoint.rfind(':');
        try {
            auto client =
                std::make_unique<HttpClient>(endpoint.substr(0, colon), std::atoi(endpoint.c_str() + colon + 1),
                                             timeoutMillis, std::min(timeoutMillis, kConnectMillis));
            const MutexLock lock(mutex_);
            current_ = at;
            return {std::move(client), at};
        } catch (const SystemError& error) {
            reasons += std::string(reasons.empty() ? "" : " ") + error.what();
        }
    }
    throw SystemError("The metadata store (etcd) does not answer. " + reasons, "Check that etcd runs.", true);
}

void EtcdStore::leave(size_t endpoint) {
    std::map<int, std::vector<Link>> dropped;  // closed without the lock
    const MutexLock lock(mutex_);
    if (current_ != endpoint) return;
    current_ = (endpoint + 1) % endpoints_.size();
    dropped.swap(idle_);
}

EtcdStore::Link EtcdStore::takeConnection(int timeoutMillis) {
    {
        const MutexLock lock(mutex_);
        std::vector<Link>& idle = idle_[timeoutMillis];
        while (!idle.empty()) {
            Link link = std::move(idle.back());
            idle.pop_back();
            if (link.endpoint == current_ && link.client->usable()) return link;
        }
    }
    return connect(timeoutMillis);
}

Json EtcdStore::askOnce(const char* path, const Json& request, int timeoutMillis) {
    Link link = takeConnection(timeoutMillis);
    HttpAnswer answer;
    try {
        answer = link.client->post(path, request.dump());
    } catch (const SystemError& error) {
        leave(link.endpoint);
        throw SystemError(std::string("The metadata store (etcd) failed: ") + error.what(), "", true);
    }
    Json result = parseJson(answer.body);
    if (result.is_discarded() || !result.is_object()) {
        throw SystemError("The metadata store (etcd) answers no JSON; is another service on its port?");
    }
    if (answer.status != 200) {
        if (answer.status >= 500) leave(link.endpoint);
        throw SystemError("The metadata store (etcd) refused: " + result.value("error", answer.body) + ".", "", true);
    }
    const MutexLock lock(mutex_);
    idle_[timeoutMillis].push_back(std::move(link));
    return result;
}

Json EtcdStore::ask(const char* path, const Json& request) {
    for (size_t asked = 1;; ++asked) {
        try {
            return askOnce(path, request, readTimeout());
        } catch (const SystemError& error) {
            if (!error.retryable() || asked > endpoints_.size()) throw;
        }
    }
}

MetaRead EtcdStore::rangeOf(Json request, uint64_t revision) {
    if (revision) request["revision"] = std::to_string(revision);
    const Json answer = ask("/v3/kv/range", request);
    MetaRead read;
    read.revision = revision ? revision : number(answer.at("header"), "revision");
    for (const Json& entry : answer.value("kvs", Json::array())) {
        read.entries.push_back({keyOf(entry), bytesOf(entry, "value"), number(entry, "mod_revision")});
    }
    return read;
}

std::optional<MetaEntry> EtcdStore::get(const std::string& key, uint64_t revision) {
    MetaRead read = rangeOf({{"key", encodedKey(key)}}, revision);
    if (read.entries.empty()) return std::nullopt;
    return std::move(read.entries[0]);
}

MetaRead EtcdStore::range(const std::string& prefix, uint64_t revision, size_t limit) {
    return rangeOf({{"key", encodedKey(prefix)}, {"range_end", rangeEnd(prefix)}, {"limit", std::to_string(limit)}},
                   revision);
}

Json EtcdStore::comparesOf(const std::vector<MetaCondition>& conditions) const {
    Json compare = Json::array();
    for (const MetaCondition& c : conditions) {
        compare.push_back({{"key", encodedKey(c.key)},
                           {"target", "MOD"},
                           {"result", "EQUAL"},
                           {"mod_revision", std::to_string(c.revision)}});
    }
    return compare;
}

Json EtcdStore::putOf(const MetaWrite& write) const {
    return {
        {"request_put",
         {{"key", encodedKey(write.key)}, {"value", toBase64(*write.value)}, {"lease", std::to_string(write.lease)}}}};
}

MetaOutcome EtcdStore::transact(const std::vector<MetaCondition>& conditions, const std::vector<MetaWrite>& writes) {
    Json success = Json::array();
    success.push_back(putOf({kClockKey, "", 0}));
    for (const MetaWrite& w : writes) {
        success.push_back(w.value ? putOf(w) : Json{{"request_delete_range", {{"key", encodedKey(w.key)}}}});
    }
    const Json answer =
        askOnce("/v3/kv/txn", {{"compare", comparesOf(conditions)}, {"success", success}}, writeTimeout());
    return {answer.value("succeeded", false), number(answer.at("header"), "revision")};
}

// Nests a transaction for each key in the one that has the conditions.
MetaAbsentOutcome EtcdStore::putAbsent(const std::vector<MetaCondition>& conditions, const std::vector<MetaPut>& puts) {
    Json success = Json::array();
    success.push_back(putOf({kClockKey, "", 0}));
    for (const MetaPut& put : puts) {
        CHECK(put.write.value.has_value()) << "keys are put, not removed";
        std::vector<MetaCondition> own = put.conditions;
        own.push_back({put.write.key, 0});
        success.push_back({{"request_txn",
                            {{"compare", comparesOf(own)},
                             {"success", Json::array({putOf(put.write)})},
                             {"failure", Json::array({{{"request_range", {{"key", encodedKey(put.write.key)}}}}})}}}});
    }
    const Json answer =
        askOnce("/v3/kv/txn", {{"compare", comparesOf(conditions)}, {"success", success}}, writeTimeout());
    MetaAbsentOutcome outcome{answer.value("succeeded", false), number(answer.at("header"), "revision"), {}};
    if (!outcome.done) return outcome;
    const Json& responses = answer.at("responses");
    for (size_t i = 0; i < puts.size(); ++i) {
        const Json& nested = responses.at(i + 1).at("response_txn");
        MetaAbsentOutcome::Key& key = outcome.keys.emplace_back();
        key.isWritten = nested.value("succeeded", false);
        if (key.isWritten) continue;
        const Json& range = nested.at("responses").at(0).at("response_range");
        if (!range.contains("kvs") || range.at("kvs").empty()) continue;
        const Json& entry = range.at("kvs").at(0);
        key.there = {keyOf(entry), bytesOf(entry, "value"), number(entry, "mod_revision")};
    }
    return outcome;
}

uint64_t EtcdStore::grantLease(int64_t timeoutMillis) {
    const int64_t seconds = (timeoutMillis + 999) / 1000;
    return number(ask("/v3/lease/grant", {{"TTL", std::to_string(seconds)}}), "ID");
}

bool EtcdStore::keepAlive(uint64_t lease) {
    const Json answer = ask("/v3/lease/keepalive", {{"ID", std::to_string(lease)}});
    return answer.contains("result") && number(answer["result"], "TTL") > 0;
}

void EtcdStore::revokeLease(uint64_t lease) {
    try {
        ask("/v3/lease/revoke", {{"ID", std::to_string(lease)}});
    } catch (const SystemError&) {
        // The lease expires by itself.
    }
}

// A watch whose thread reads etcd's stream of changes, and asks again from the last revision seen when the stream
// breaks.
//
// When the stream cannot report all changes, because they were compacted or its member hears of none, all keys are read
// and compared with those reported before. An owner that gives `onLost` does that itself: it is called after a
// compaction, and a member that hears of nothing is detected by the clock's key.
class EtcdWatch final : public MetaStore::Watch {
public:
    EtcdWatch(EtcdStore& store, std::string prefix, uint64_t afterRevision, MetaStore::OnChange onChange,
              std::function<void()> onLost)
        : store_(store),
          prefix_(std::move(prefix)),
          seen_(afterRevision),
          onChange_(std::move(onChange)),
          onLost_(std::move(onLost)) {
        if (!onLost_) readKnown();
        thread_ = startThread([this] { run(); });
    }
    ~EtcdWatch() override {
        {
            const MutexLock lock(mutex_);
            stopping_ = true;
            if (client_) client_->shutdown();
        }
        thread_.join();
    }

private:
    static constexpr auto kCompareEvery = std::chrono::milliseconds(1000);

    void readKnown() {
        try {
            for (const MetaEntry& entry : store_.range(prefix_, seen_, 0).entries) known_[entry.key] = entry.revision;
        } catch (const SystemError&) {
            // The revision was compacted: changes are reported, but no removals before this moment.
        }
    }

    void run() {
        while (!stopping_) {
            size_t endpoint = 0;
            try {
                {
                    auto link = store_.connect(store_.readTimeout());
                    endpoint = link.endpoint;
                    const MutexLock lock(mutex_);
                    client_ = std::move(link.client);
                    if (stopping_) return;
                }
                const Json request = {{"create_request",
                                       {{"key", store_.encodedKey(prefix_)},
                                        {"range_end", store_.rangeEnd(prefix_)},
                                        {"start_revision", std::to_string(seen_ + 1)}}}};
                nextCompare_ = std::chrono::steady_clock::now() + kCompareEvery;
                client_->postStream(
                    "/v3/watch", request.dump(), [this](std::string_view line) { return deliver(line); },
                    [this] { compareWhenDue(); });
            } catch (const std::exception&) {
                if (stopping_) return;
                store_.leave(endpoint);
                std::this_thread::sleep_for(std::chrono::milliseconds(200));
            }
        }
    }

    bool deliver(std::string_view line) {
        const Json message = parseJson(line);
        if (message.is_discarded() || !message.contains("result")) return false;
        const Json& result = message["result"];
        if (number(result, "compact_revision") != 0) {
            if (onLost_) {
                stopping_ = true;
                onLost_();
                return false;
            }
            compareAll();
        }
        if (result.value("canceled", false)) return false;
        std::vector<MetaChange> changes;
        for (const Json& event : result.value("events", Json::array())) {
            const Json& entry = event.at("kv");
            MetaChange change{store_.keyOf(entry), std::nullopt, number(entry, "mod_revision")};
            if (change.revision <= seen_) continue;  // reported after a comparison
            if (event.value("type", "PUT") != "DELETE") change.value = bytesOf(entry, "value");
            if (!changes.empty() && changes.back().revision != change.revision) tell(changes);
            changes.push_back(std::move(change));
        }
        tell(changes);
        return !stopping_;
    }

    void tell(std::vector<MetaChange>& changes) {
        if (changes.empty()) return;
        for (const MetaChange& change : changes) {
            if (onLost_) {
                // Nothing is compared.
            } else if (change.value) {
                known_[change.key] = change.revision;
            } else {
                known_.erase(change.key);
            }
            seen_ = std::max(seen_, change.revision);
        }
        onChange_(changes);
        changes.clear();
    }

    // Reports differences from the reported state as changes; returns whether there are any.
    bool compareAll() {
        const MetaRead read = store_.range(prefix_, 0, 0);
        std::vector<MetaChange> changes;
        std::map<std::string, uint64_t> gone = known_;
        for (const MetaEntry& entry : read.entries) {
            gone.erase(entry.key);
            const auto known = known_.find(entry.key);
            if (known == known_.end() || known->second != entry.revision)
                changes.push_back({entry.key, entry.value, entry.revision});
        }
        for (const auto& [key, revision] : gone) changes.push_back({key, std::nullopt, read.revision});
        const bool differs = !changes.empty();
        tell(changes);
        seen_ = std::max(seen_, read.revision);
        return differs;
    }

    // Asks the store through another member once a second, since a member that is cut off from the others sends
    // nothing. When the store knows more than the stream reported, throws, so that the watch moves to another member.
    void compareWhenDue() {
        const auto now = std::chrono::steady_clock::now();
        if (now < nextCompare_) return;
        nextCompare_ = now + kCompareEvery;
        if (onLost_) {
            // True for a change that the stream has not reported within a whole interval.
            const bool isBehind = seen_ < clockRead_;
            const auto clock = store_.get(kClockKey, 0);
            clockRead_ = clock ? clock->revision : 0;
            if (isBehind) throw SystemError("A member of etcd tells no changes.", "", true);
            return;
        }
        if (compareAll()) throw SystemError("A member of etcd tells no changes.", "", true);
    }

    EtcdStore& store_;
    const std::string prefix_;
    uint64_t seen_;
    const MetaStore::OnChange onChange_;
    const std::function<void()> onLost_;
    uint64_t clockRead_ = 0;                 // revision of the clock's key at the last comparison
    std::map<std::string, uint64_t> known_;  // keys as reported, with their revisions
    std::chrono::steady_clock::time_point nextCompare_;
    std::atomic<bool> stopping_{false};
    Mutex mutex_;  // guards client_ against the destructor
    std::unique_ptr<HttpClient> client_;
    std::thread thread_;
};

std::unique_ptr<MetaStore::Watch> EtcdStore::watch(const std::string& prefix, uint64_t afterRevision, OnChange onChange,
                                                   std::function<void()> onLost) {
    return std::make_unique<EtcdWatch>(*this, prefix, afterRevision, std::move(onChange), std::move(onLost));
}

}  // namespace

std::unique_ptr<MetaStore> openEtcdMetaStore(std::vector<std::string> endpoints, std::string prefix,
                                             int timeoutMillis) {
    if (endpoints.empty())
        throw UserError("A cluster needs at least one etcd endpoint.", "Set etcdEndpoints=host:port.");
    return std::make_unique<EtcdStore>(std::move(endpoints), std::move(prefix), timeoutMillis);
}

}  // namespace pelorus
