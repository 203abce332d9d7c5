// Analysis of the columns that a query may read of its source.
#pragma once

#include <set>
#include <string>

#include "runtime/code/query.h"

namespace pelorus {

// Names of the columns that a query may read of its source; all of them where that cannot be known.
class ReadNames {
public:
    explicit ReadNames(const Query& query);
    bool all() const { return all_ || opaque_; }
    // Whether the name occurs, by itself or as part of `qualifier_name`.
    bool mentions(const std::string& name) const { return opaque_ || names_.contains(name); }
    bool holds(const std::string& name) const { return all() || names_.contains(name); }

private:
    NodeRef note(const NodeRef& node);
    void noteOuter(const Query& query);

    bool all_ = false;     // by *, or because it changes rows
    bool opaque_ = false;  // contains code that may name columns in other ways
    std::set<std::string> names_;
};

}  // namespace pelorus
