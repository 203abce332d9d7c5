#include "server/postgres/portals.h"

#include "postgres/sql_error.h"
#include "runtime/table/value_bytes.h"

namespace pelorus::postgres {
namespace {

constexpr size_t kMaxStatements = 10'000;
constexpr size_t kMaxPortals = 10'000;
constexpr size_t kMaxTextBytes = 64 << 20;

}  // namespace

bool isBinaryColumn(const Portal& portal, size_t i) {
    if (portal.formats.empty()) return portal.isBinary;
    return portal.formats[portal.formats.size() == 1 ? 0 : i] != 0;
}

std::shared_ptr<const PreparedStatement> Portals::statement(std::string_view name) const {
    const auto it = statements_.find(name);
    if (it != statements_.end()) return it->second;
    throw SqlError("26000", name.empty() ? std::string("unnamed prepared statement does not exist")
                                         : "prepared statement \"" + std::string(name) + "\" does not exist");
}

std::shared_ptr<Portal> Portals::portal(std::string_view name) const {
    const auto it = portals_.find(name);
    if (it != portals_.end()) return it->second;
    throw SqlError("34000", "portal \"" + std::string(name) + "\" does not exist");
}

void Portals::addStatement(const std::string& name, std::shared_ptr<const PreparedStatement> statement) {
    if (name.empty()) {
        closeStatement(name);
    } else if (statements_.contains(name)) {
        throw SqlError("42P05", "prepared statement \"" + name + "\" already exists");
    }
    const size_t bytes = statement->text.size();
    if (statements_.size() >= kMaxStatements || (!statements_.empty() && textBytes_ + bytes > kMaxTextBytes)) {
        throw SqlError(sql_state::kProgramLimit, "a session has at most 10000 prepared statements, of 64 MB together",
                       -1, "Deallocate some.");
    }
    textBytes_ += bytes;
    statements_.emplace(name, std::move(statement));
}

void Portals::addPortal(const std::string& name, std::shared_ptr<Portal> portal) {
    if (name.empty()) {
        closePortal(name);
    } else if (portals_.contains(name)) {
        throw SqlError("42P03", "cursor \"" + name + "\" already exists");
    }
    if (portals_.size() >= kMaxPortals)
        throw SqlError(sql_state::kProgramLimit, "a session has at most 10000 portals", -1, "Close some.");
    portals_.emplace(name, std::move(portal));
}

bool Portals::closeStatement(std::string_view name) {
    const auto it = statements_.find(name);
    if (it == statements_.end()) return false;
    textBytes_ -= it->second->text.size();
    statements_.erase(it);
    return true;
}

bool Portals::closePortal(std::string_view name) {
    const auto it = portals_.find(name);
    if (it == portals_.end()) return false;
    portals_.erase(it);
    return true;
}

void Portals::closeStatements() {
    std::erase_if(statements_, [](const auto& entry) { return !entry.first.empty(); });
    textBytes_ = 0;
    for (const auto& [name, statement] : statements_) textBytes_ += statement->text.size();
}

void Portals::closePortals(bool all) {
    std::erase_if(portals_, [all](const auto& entry) { return all || !entry.second->isWithHold; });
}

int64_t Portals::heldBytes() const {
    int64_t bytes = 0;
    for (const auto& [name, portal] : portals_)
        if (portal->rows) bytes += memoryBytesOf(Value::of(Ref<Table>(portal->rows)));
    return bytes;
}

}  // namespace pelorus::postgres
