#include "interpreter/session/shared_objects.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/error.h"
#include "common/language_settings.h"
#include "runtime/stream/stream_log.h"

namespace pelorus {

namespace {

bool owns(const Principal& principal, std::string_view owner) {
    return principal.powers().everything || (!principal.isGuest() && principal.user() == owner);
}

SecuredObject secured(std::string_view name, std::string_view owner) {
    return {.kind = SecuredObject::Kind::SharedTable, .name = name, .owner = owner};
}

bool mayUse(const Principal& principal, const SecuredObject& object) {
    return owns(principal, object.owner) || principal.may(Right::Read, object) ||
           principal.may(Right::Insert, object) || principal.may(Right::Update, object) ||
           principal.may(Right::Delete, object);
}

}  // namespace

bool SharedObjects::find(std::string_view name, Value& value) const {
    const MutexLock lock(mutex_);
    auto it = objects_.find(std::string(name));
    if (it == objects_.end()) return false;
    value = it->second.value;
    return true;
}

bool SharedObjects::find(std::string_view name, Value& value, const Principal& principal) const {
    std::string owner;
    Value found;
    {
        const MutexLock lock(mutex_);
        auto it = objects_.find(std::string(name));
        if (it == objects_.end()) return false;
        found = it->second.value;
        if (it->second.isControlled) owner = it->second.owner;
    }
    if (!owner.empty() && !mayUse(principal, secured(name, owner)))
        principal.require(Right::Read, secured(name, owner));
    value = std::move(found);
    return true;
}

std::vector<std::string> SharedObjects::names() const {
    const MutexLock lock(mutex_);
    std::vector<std::string> names;
    for (const auto& [name, entry] : objects_) names.push_back(name);
    std::sort(names.begin(), names.end());
    return names;
}

std::string SharedObjects::ownerOf(std::string_view name) const {
    const MutexLock lock(mutex_);
    auto it = objects_.find(std::string(name));
    return it == objects_.end() ? "" : it->second.owner;
}

// Throws unless the user may replace or release the object. What a guest shared is every guest's.
void SharedObjects::requireOwner(std::string_view name, const Principal& principal) const {
    std::string owner;
    bool isControlled = false, isTable = false;
    {
        const MutexLock lock(mutex_);
        auto it = objects_.find(std::string(name));
        if (it == objects_.end()) return;
        owner = it->second.owner;
        isControlled = it->second.isControlled;
        isTable = it->second.value.isTable();
    }
    if (owns(principal, owner) || principal.administers()) return;
    if (!isControlled && (owner == principal.user() || owner == "guest")) return;
    throw UserError(fmt::format("<NoPrivilege>No access to shared {} [{}].", isTable ? "table" : "object", name),
                    "It belongs to " + owner + ", who or an administrator may replace or release it.");
}

void SharedObjects::eraseLocked(const std::string& name) {
    const auto entry = objects_.find(name);
    if (entry == objects_.end()) return;
    if (entry->second.value.hasObject()) {
        const auto [begin, end] = namesOfTables_.equal_range(entry->second.value.object());
        const auto known = std::find_if(begin, end, [&](const auto& item) { return item.second == name; });
        if (known != end) namesOfTables_.erase(known);
        MemoryTable* table = entry->second.isControlled ? asMemoryTable(entry->second.value) : nullptr;
        const std::pair<std::string, std::string> released{name, entry->second.owner};
        if (table && std::find(table->releasedNames.begin(), table->releasedNames.end(), released) ==
                         table->releasedNames.end()) {
            table->releasedNames.push_back(released);
        }
    }
    objects_.erase(entry);
}

void SharedObjects::set(const std::string& name, Value value, const Principal& principal) {
    requireOwner(name, principal);
    Value before;  // destroyed without the lock
    const MutexLock lock(mutex_);
    const auto known = objects_.find(name);
    if (known != objects_.end()) before = known->second.value;
    eraseLocked(name);
    if (value.isTable()) namesOfTables_.emplace(value.object(), name);
    objects_[name] = {std::move(value), principal.user(), controlledNames_.contains(name)};
}

// Throws for a stream table that subscriptions read: they would go on with rows that nobody else can see.
static void requireNoListeners(std::string_view name, const Value& value) {
    const MemoryTable* table = asMemoryTable(value);
    if (!table || !table->stream || !table->stream->hasListeners()) return;
    throw UserError(fmt::format("The stream table {} has subscriptions and can't be released. RefId: S03000", name),
                    "End them first with unsubscribeTable.");
}

bool SharedObjects::erase(std::string_view name, const Principal& principal) {
    requireOwner(name, principal);
    Value known;
    if (find(name, known)) requireNoListeners(name, known);
    Value before;  // destroyed without the lock
    const MutexLock lock(mutex_);
    const auto entry = objects_.find(std::string(name));
    if (entry == objects_.end()) return false;
    before = entry->second.value;
    eraseLocked(std::string(name));
    return true;
}

void SharedObjects::controlAccess(const std::string& name) {
    const MutexLock lock(mutex_);
    if (!controlledNames_.insert(name).second) return;
    const auto known = objects_.find(name);
    if (known != objects_.end()) known->second.isControlled = true;
    controlled_.fetch_add(1, std::memory_order_release);
}

bool SharedObjects::isControlled(std::string_view name) const {
    const MutexLock lock(mutex_);
    return controlledNames_.contains(std::string(name));
}

std::vector<std::string> SharedObjects::namesOf(const Table& table) const {
    const MutexLock lock(mutex_);
    std::vector<std::string> names;
    const auto [begin, end] = namesOfTables_.equal_range(&table);
    for (auto it = begin; it != end; ++it) names.push_back(it->second);
    std::sort(names.begin(), names.end());
    return names;
}

std::vector<std::pair<std::string, std::string>> SharedObjects::controlledNames(const Table& table) const {
    const MutexLock lock(mutex_);
    std::vector<std::pair<std::string, std::string>> names;
    if (MemoryTable* memory = const_cast<Table&>(table).asMemory()) names = memory->releasedNames;
    const auto [begin, end] = namesOfTables_.equal_range(&table);
    for (auto it = begin; it != end; ++it) {
        const Entry& entry = objects_.at(it->second);
        if (entry.isControlled) names.emplace_back(it->second, entry.owner);
    }
    return names;
}

void SharedObjects::require(const Table& table, Right right, const Principal& principal) const {
    for (const auto& [name, owner] : controlledNames(table)) {
        if (!owns(principal, owner)) principal.require(right, secured(name, owner));
    }
}

bool SharedObjects::allows(const Table& table, Right right, const Principal& principal) const {
    for (const auto& [name, owner] : controlledNames(table)) {
        if (!owns(principal, owner) && !principal.may(right, secured(name, owner))) return false;
    }
    return true;
}

void shareObject(Value object, const std::string& name, const Context& context) {
    auto* shared = context.service<SharedObjects>();
    if (!shared) throw UserError("This process keeps no shared objects.");
    context.request->principal().requireChanges("share");
    if (languageSettings().enableSharedVarCreationControl) context.principal().require(Right::CreateShared);
    requireAccess(context, object, Right::Read);
    if (object.isTable()) {
        auto* table = asMemoryTable(object);
        if (table && !table->lock) table->lock = std::make_shared<RecursiveMutex>();
        if (table && table->stream) {
            for (const std::string& other : shared->namesOf(*table)) {
                if (other != name)
                    throw UserError(fmt::format("The stream table is shared as {} already.", other),
                                    "A stream table has one name for all sessions; release that with undef first.");
            }
        }
        Value before;
        if (shared->find(name, before) && !(before.isTable() && &before.table() == &object.table()))
            requireNoListeners(name, before);
    }
    shared->set(name, std::move(object), context.principal());
}

void addSharedObjects(Services& services) {
    auto shared = std::make_shared<SharedObjects>();
    services.add(shared);
    services.add<TableAccess>(shared);
}

}  // namespace pelorus
