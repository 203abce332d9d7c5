#include "distributed/metadata_etcd.h"

#include <atomic>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>

#include "common/base64.h"
#include "common/error.h"
#include "common/thread_start.h"
#include "net/http_client.h"

namespace pelorus {
namespace {

using Json = nlohmann::json;

// The gateway writes 64-bit numbers as text and leaves zeros out.
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

// The first key behind all that begin with `prefix`.
std::string endOfPrefix(std::string prefix) {
    while (!prefix.empty() && static_cast<unsigned char>(prefix.back()) == 0xff) prefix.pop_back();
    if (prefix.empty()) return std::string(1, '\0');  // etcd's word for "no end"
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
    std::unique_ptr<Watch> watch(const std::string& prefix, uint64_t afterRevision, OnChange onChange) override;
    uint64_t grantLease(int64_t timeoutMillis) override;
    bool keepAlive(uint64_t lease) override;
    void revokeLease(uint64_t lease) override;

    std::unique_ptr<HttpClient> connect();
    std::string encodedKey(const std::string& key) const { return toBase64(prefix_ + key); }
    std::string keyOf(const Json& entry) const { return bytesOf(entry, "key").substr(prefix_.size()); }
    std::string rangeEnd(const std::string& prefix) const { return toBase64(endOfPrefix(prefix_ + prefix)); }

private:
    // Asking twice does no harm, so a connection that broke is tried again.
    Json ask(const char* path, const Json& request);
    Json askOnce(const char* path, const Json& request);
    MetaRead rangeOf(Json request, uint64_t revision);
    std::unique_ptr<HttpClient> takeConnection();

    const std::vector<std::string> endpoints_;
    const std::string prefix_;
    const int timeoutMillis_;
    std::mutex mutex_;
    std::vector<std::unique_ptr<HttpClient>> idle_;
    size_t current_ = 0;  // the endpoint that answered last
};

std::unique_ptr<HttpClient> EtcdStore::connect() {
    size_t first;
    {
        std::lock_guard lock(mutex_);
        first = current_;
    }
    std::string reasons;
    for (size_t i = 0; i < endpoints_.size(); ++i) {
        const size_t at = (first + i) % endpoints_.size();
        const std::string& endpoint = endpoints_[at];
        const size_t colon = endpoint.rfind(':');
        try {
            auto client = std::make_unique<HttpClient>(endpoint.substr(0, colon),
                                                       std::atoi(endpoint.c_str() + colon + 1), timeoutMillis_);
            std::lock_guard lock(mutex_);
            current_ = at;
            return client;
        } catch (const SystemError& error) {
            reasons += std::string(reasons.empty() ? "" : " ") + error.what();
        }
    }
    throw SystemError("The metadata store (etcd) does not answer. " + reasons, "Check that etcd runs.", true);
}

std::unique_ptr<HttpClient> EtcdStore::takeConnection() {
    {
        std::lock_guard lock(mutex_);
        while (!idle_.empty()) {
            auto client = std::move(idle_.back());
            idle_.pop_back();
            if (client->usable()) return client;
        }
    }
    return connect();
}

Json EtcdStore::askOnce(const char* path, const Json& request) {
    auto client = takeConnection();
    HttpAnswer answer;
    try {
        answer = client->post(path, request.dump());
    } catch (const SystemError& error) {
        throw SystemError(std::string("The metadata store (etcd) failed: ") + error.what(), "", true);
    }
    Json result = Json::parse(answer.body, nullptr, false);
    if (result.is_discarded() || !result.is_object()) {
        throw SystemError("The metadata store (etcd) answers no JSON; is another service on its port?");
    }
    if (answer.status != 200) {
        throw SystemError("The metadata store (etcd) refused: " + result.value("error", answer.body) + ".", "", true);
    }
    std::lock_guard lock(mutex_);
    idle_.push_back(std::move(client));
    return result;
}

Json EtcdStore::ask(const char* path, const Json& request) {
    try {
        return askOnce(path, request);
    } catch (const SystemError& error) {
        if (!error.retryable()) throw;
        return askOnce(path, request);
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

MetaOutcome EtcdStore::transact(const std::vector<MetaCondition>& conditions, const std::vector<MetaWrite>& writes) {
    Json compare = Json::array();
    for (const MetaCondition& c : conditions) {
        compare.push_back({{"key", encodedKey(c.key)},
                           {"target", "MOD"},
                           {"result", "EQUAL"},
                           {"mod_revision", std::to_string(c.revision)}});
    }
    Json success = Json::array();
    for (const MetaWrite& w : writes) {
        if (w.value) {
            success.push_back(
                {{"request_put",
                  {{"key", encodedKey(w.key)}, {"value", toBase64(*w.value)}, {"lease", std::to_string(w.lease)}}}});
        } else {
            success.push_back({{"request_delete_range", {{"key", encodedKey(w.key)}}}});
        }
    }
    const Json answer = askOnce("/v3/kv/txn", {{"compare", compare}, {"success", success}});
    return {answer.value("succeeded", false), number(answer.at("header"), "revision")};
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
        // It ends by itself.
    }
}

// A thread that reads etcd's stream of changes, and asks again from the last revision seen when the stream breaks.
class EtcdWatch final : public MetaStore::Watch {
public:
    EtcdWatch(EtcdStore& store, std::string prefix, uint64_t afterRevision, MetaStore::OnChange onChange)
        : store_(store), prefix_(std::move(prefix)), seen_(afterRevision), onChange_(std::move(onChange)) {
        thread_ = startThread([this] { run(); });
    }
    ~EtcdWatch() override {
        {
            std::lock_guard lock(mutex_);
            stopping_ = true;
            if (client_) client_->shutdown();
        }
        thread_.join();
    }

private:
    void run() {
        while (!stopping_) {
            try {
                {
                    auto client = store_.connect();
                    std::lock_guard lock(mutex_);
                    client_ = std::move(client);
                    if (stopping_) return;
                }
                const Json request = {{"create_request",
                                       {{"key", store_.encodedKey(prefix_)},
                                        {"range_end", store_.rangeEnd(prefix_)},
                                        {"start_revision", std::to_string(seen_ + 1)}}}};
                client_->postStream("/v3/watch", request.dump(),
                                    [this](std::string_view line) { return deliver(line); });
            } catch (const std::exception&) {
                std::this_thread::sleep_for(std::chrono::milliseconds(stopping_ ? 0 : 200));
            }
        }
    }

    bool deliver(std::string_view line) {
        const Json message = Json::parse(line, nullptr, false);
        if (message.is_discarded() || !message.contains("result")) return false;
        const Json& result = message["result"];
        // Changes before this revision were thrown away: the nearest that there is must do.
        if (const uint64_t compacted = number(result, "compact_revision")) seen_ = compacted;
        if (result.value("canceled", false)) return false;
        std::vector<MetaChange> changes;
        for (const Json& event : result.value("events", Json::array())) {
            const Json& entry = event.at("kv");
            MetaChange change{store_.keyOf(entry), std::nullopt, number(entry, "mod_revision")};
            if (event.value("type", "PUT") != "DELETE") change.value = bytesOf(entry, "value");
            if (!changes.empty() && changes.back().revision != change.revision) {
                onChange_(changes);
                changes.clear();
            }
            seen_ = change.revision;
            changes.push_back(std::move(change));
        }
        if (!changes.empty()) onChange_(changes);
        return !stopping_;
    }

    EtcdStore& store_;
    const std::string prefix_;
    uint64_t seen_;
    const MetaStore::OnChange onChange_;
    std::atomic<bool> stopping_{false};
    std::mutex mutex_;  // guards client_ against the destructor
    std::unique_ptr<HttpClient> client_;
    std::thread thread_;
};

std::unique_ptr<MetaStore::Watch> EtcdStore::watch(const std::string& prefix, uint64_t afterRevision,
                                                   OnChange onChange) {
    return std::make_unique<EtcdWatch>(*this, prefix, afterRevision, std::move(onChange));
}

}  // namespace

std::unique_ptr<MetaStore> openEtcdMetaStore(std::vector<std::string> endpoints, std::string prefix,
                                             int timeoutMillis) {
    if (endpoints.empty())
        throw UserError("A cluster needs at least one etcd endpoint.", "Set etcdEndpoints=host:port.");
    return std::make_unique<EtcdStore>(std::move(endpoints), std::move(prefix), timeoutMillis);
}

}  // namespace pelorus
