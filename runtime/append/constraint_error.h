// The error of a row that a constraint of its table refuses.
#pragma once

#include <string>
#include <utility>

#include "common/error.h"

namespace pelorus {

// Nothing was written. `constraint` is the name of the index or check, `column` that of a column without NULL; what
// does not apply is empty.
class ConstraintError final : public UserError {
public:
    enum class Kind { DuplicateKey, NullInRequired, CheckViolation, MissingParent, StillReferenced };
    ConstraintError(Kind kind, std::string table, std::string column, std::string constraint, std::string what,
                    std::string hint)
        : UserError(std::move(what), std::move(hint)),
          kind_(kind),
          table_(std::move(table)),
          column_(std::move(column)),
          constraint_(std::move(constraint)) {}

    Kind kind() const { return kind_; }
    const std::string& table() const { return table_; }
    const std::string& column() const { return column_; }
    const std::string& constraint() const { return constraint_; }

    // Of a foreign key, whose table is `table`: the table that it refers to, and what PostgreSQL tells of the key.
    const std::string& parent() const { return parent_; }
    const std::string& detail() const { return detail_; }
    void setParent(std::string parent, std::string detail) {
        parent_ = std::move(parent);
        detail_ = std::move(detail);
    }

private:
    const Kind kind_;
    const std::string table_, column_, constraint_;
    std::string parent_, detail_;
};

}  // namespace pelorus
