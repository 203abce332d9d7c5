#include "interpreter/session/function_views.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/error.h"
#include "common/time/local_clock.h"
#include "runtime/serialize/value_codec.h"
#include "runtime/table/table.h"

namespace pelorus {

namespace {

// In the metadata store: never rename.
constexpr std::string_view kPrefix = "view/";
constexpr int32_t kFormat = 1;
std::string keyOf(const std::string& name) {
    return std::string(kPrefix) + name;
}

std::string storedForm(const Ref<Function>& function, const std::string& owner) {
    const Closure* closure = closureOf(*function);
    if (!closure) throw UserError(fmt::format("{} is no function of a script.", function->name()));
    requireStorable(*closure);
    std::string bytes;
    encodeValue(Value::of(makeRef<Tuple>(std::vector<Value>{Value::ofInt(kFormat), Value::ofString(owner),
                                                            Value::ofLong(localMillis()),
                                                            Value::ofString(closure->code().body.source)})),
                Peer::Node, bytes);
    encodeValue(Value::of(function), Peer::Node, bytes);
    return bytes;
}

}  // namespace

FunctionView::FunctionView(std::string name, std::string stored, uint64_t revision)
    : name(std::move(name)), revision(revision), stored_(std::move(stored)) {
    StringSource source(stored_);
    const Value header = decodeValue(source, Peer::Node);
    const std::vector<Value>& parts = savedParts(header, 4);
    if (!parts[0].isScalar() || parts[0].type() != Type::Int || parts[0].integer() != kFormat || !parts[1].isString() ||
        !parts[2].isScalar() || parts[2].type() != Type::Long || !parts[3].isString()) {
        throw UserError(fmt::format("The function view {} is stored in a form that this version cannot read.", name));
    }
    owner = parts[1].string();
    createdMillis = parts[2].integer();
    this->source = parts[3].string();
    functionAt_ = source.position();
}

FunctionView::~FunctionView() = default;

Ref<Function> FunctionView::function() const {
    const MutexLock guard(mutex_);
    if (compiled_.function()) return compiled_.function();
    StringSource source(std::string_view(stored_).substr(functionAt_));
    const Value decoded = decodeValue(source, Peer::Node);
    if (!decoded.isFunction() || decoded.function().kind() != Function::Kind::Closure) {
        throw UserError(fmt::format("The function view {} holds no function of a script.", name));
    }
    compiled_ = StoredFunction(Ref<Function>(&decoded.function()));
    return compiled_.function();
}

MetaStore& FunctionViews::store() {
    MetaStore* store = findStore_(true);
    if (!store) throw UserError("This process keeps no function views.");
    return *store;
}

// Reads the views and watches them from then on. The watch may call back at once, so `mutex_` is not held meanwhile.
bool FunctionViews::isLoaded(bool create) {
    if (isLoaded_.load(std::memory_order_acquire)) return true;
    const MutexLock guard(loading_);
    if (isClosed_) return false;
    if (watch_) return true;
    MetaStore* store = findStore_(create);
    if (!store) return false;
    const MetaRead read = store->range(std::string(kPrefix));
    std::vector<MetaChange> changes;
    for (const MetaEntry& entry : read.entries) changes.push_back({entry.key, entry.value, entry.revision});
    apply(changes);
    watch_ = store->watch(std::string(kPrefix), read.revision,
                          [this](const std::vector<MetaChange>& changed) { apply(changed); });
    isLoaded_.store(true, std::memory_order_release);
    return true;
}

// Changes come from the watch, and again from the call that made them; an older one never undoes a newer one.
void FunctionViews::apply(const std::vector<MetaChange>& changes) {
    for (const MetaChange& change : changes) {
        const std::string name = change.key.substr(kPrefix.size());
        std::shared_ptr<const FunctionView> view;
        if (change.value) {
            try {
                view = std::make_shared<FunctionView>(name, *change.value, change.revision);
            } catch (const Error&) {
                // Made by a newer version: unknown to this one.
            }
        }
        const MutexLock guard(mutex_);
        uint64_t& newest = applied_[name];
        if (change.revision < newest) continue;
        const auto known = views_.find(name);
        if (known != views_.end() && view && known->second->revision == change.revision) continue;
        newest = change.revision;
        if (view) {
            views_[name] = std::move(view);
        } else {
            views_.erase(name);
        }
    }
}

std::shared_ptr<const FunctionView> FunctionViews::find(std::string_view name) {
    if (name.starts_with("::")) name.remove_prefix(2);
    try {
        if (!isLoaded(false)) return nullptr;
    } catch (const Error&) {
        // The database is in use by another process, or does not open: the name is unknown here.
        return nullptr;
    }
    const MutexLock guard(mutex_);
    const auto it = views_.find(std::string(name));
    return it == views_.end() ? nullptr : it->second;
}

std::vector<std::shared_ptr<const FunctionView>> FunctionViews::all() {
    std::vector<std::shared_ptr<const FunctionView>> views;
    if (!isLoaded(false)) return views;
    const MutexLock guard(mutex_);
    for (const auto& [name, view] : views_) views.push_back(view);
    std::sort(views.begin(), views.end(), [](const auto& a, const auto& b) { return a->name < b->name; });
    return views;
}

void FunctionViews::add(const std::vector<std::pair<std::string, Ref<Function>>>& functions, const std::string& owner) {
    std::vector<MetaCondition> conditions;
    std::vector<MetaWrite> writes;
    for (const auto& [name, function] : functions) {
        conditions.push_back({keyOf(name), 0});
        writes.push_back({keyOf(name), storedForm(function, owner)});
    }
    if (!isLoaded(true)) throw UserError("This process keeps no function views.");
    const MetaOutcome outcome = store().transact(conditions, writes);
    if (!outcome.done) {
        for (const auto& [name, function] : functions) {
            if (!store().get(keyOf(name))) continue;
            throw UserError(fmt::format("The function view {} already exists.", name),
                            fmt::format("Drop it first: dropFunctionView(\"{}\").", name));
        }
        throw UserError("The function views changed meanwhile.", "Try again.");
    }
    std::vector<MetaChange> changes;
    for (MetaWrite& write : writes) changes.push_back({write.key, std::move(write.value), outcome.revision});
    apply(changes);
}

void FunctionViews::drop(const std::vector<std::shared_ptr<const FunctionView>>& views) {
    std::vector<MetaCondition> conditions;
    std::vector<MetaWrite> writes;
    std::vector<MetaChange> changes;
    for (const auto& view : views) {
        conditions.push_back({keyOf(view->name), view->revision});
        writes.push_back({keyOf(view->name), std::nullopt});
    }
    const MetaOutcome outcome = store().transact(conditions, writes);
    if (!outcome.done) throw UserError("The function views changed meanwhile.", "Look at getFunctionViews().");
    for (const MetaWrite& write : writes) changes.push_back({write.key, std::nullopt, outcome.revision});
    apply(changes);
}

// The callback of the watch takes `mutex_` only, so the watch may end under `loading_`.
void FunctionViews::close() {
    const MutexLock guard(loading_);
    isClosed_ = true;
    isLoaded_.store(false, std::memory_order_release);
    watch_.reset();
    const MutexLock views(mutex_);
    views_.clear();
}

}  // namespace pelorus
