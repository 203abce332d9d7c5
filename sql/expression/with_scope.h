// Scope of the names that `with` defines in a query.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "runtime/function/context.h"

namespace pelorus {

// They hide the caller's names.
class WithScope final : public Scope {
public:
    explicit WithScope(const Scope* outer) : outer_(outer) {}
    bool lookup(std::string_view name, Value& value) const override {
        for (const auto& [known, table] : tables_) {
            if (known == name) {
                value = table;
                return true;
            }
        }
        return outer_ && outer_->lookup(name, value);
    }
    std::string nameOf(const Object& object) const override { return outer_ ? outer_->nameOf(object) : ""; }
    void add(const std::string& name, Value table) { tables_.emplace_back(name, std::move(table)); }

private:
    const Scope* outer_;
    std::vector<std::pair<std::string, Value>> tables_;
};

}  // namespace pelorus
