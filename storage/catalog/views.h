// Views: queries of PostgreSQL's language that are kept under a name.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "common/meta_store.h"

namespace pelorus {

// A column of a view, as it was when the view was made. A plain value.
struct ViewedColumn {
    std::string name;     // of the view
    std::string written;  // that the query gives it
    uint32_t type = 0;    // a number of PostgreSQL's types
    int32_t modifier = -1;
    bool operator==(const ViewedColumn&) const = default;
};

// A table or view that a view reads. A plain value.
struct ViewSource {
    std::string database, name;
    bool operator==(const ViewSource&) const = default;
};

// A view, as the catalog stores it. A plain value.
struct ViewEntry {
    std::string database;  // path
    std::string name;
    std::string query;                    // its text, in PostgreSQL's language
    std::vector<std::string> searchPath;  // by which names in the query are found
    std::vector<ViewedColumn> columns;
    std::vector<ViewSource> reads;  // each once
    uint64_t revision = 0;          // another one after each change
};

// The views over a store, which outlives it. Holds nothing itself. Thread-safe. Calls throw SystemError where the store
// does not answer.
class Views {
public:
    using Store = std::function<MetaStore&()>;
    explicit Views(Store store) : store_(std::move(store)) {}

    // Makes a view, or puts it into the place of the one with `view.revision`; 0: there is none. Throws UserError
    // (<DuplicateName>) when another one is there by now.
    void put(const ViewEntry& view);
    std::optional<ViewEntry> find(const std::string& database, const std::string& name) const;
    // Returns the views of a database in the order of their names.
    std::vector<ViewEntry> all(const std::string& database) const;
    // Returns the views of all databases.
    std::vector<ViewEntry> all() const;
    // Does nothing where there is none.
    void drop(const std::string& database, const std::string& name);

private:
    const Store store_;
};

// Returns the writes that remove the views of a database.
std::vector<MetaWrite> removalsOfViews(MetaStore& store, const std::string& database);

}  // namespace pelorus
