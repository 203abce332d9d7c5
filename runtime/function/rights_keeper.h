// The server's record of who was granted what, for code that drops or renames what the rights are to. A service of a
// server; an embedded database has none.
#pragma once

#include <string>

namespace pelorus {

class RightsKeeper {
public:
    virtual ~RightsKeeper() = default;
    // Removes the rights to a database and to its tables. Throws SystemError when they cannot be stored. The rights to
    // one table end with the table by themselves, since they name its id.
    virtual void forgetDatabase(const std::string& path) = 0;
    virtual void forgetCatalog(const std::string& catalog) = 0;
    // Removes the rights to a tool or prompt of language models, by its path, as "tools/name": another one that takes
    // the name is another user's.
    virtual void forgetModelEntry(const std::string& path) = 0;
    virtual void renameCatalog(const std::string& catalog, const std::string& newName) = 0;
};

}  // namespace pelorus
