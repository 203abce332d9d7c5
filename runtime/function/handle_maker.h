// The user who made a handle of a stored table. A handle may reach code that runs as somebody else: the body of a
// function view that gets it as an argument, a session that finds it in a shared variable. Its rows are then not read
// or written by the rights of that code alone.
#pragma once

#include <string>

#include "runtime/function/context.h"
#include "runtime/function/principal.h"

namespace pelorus {

class PrincipalSource;

// A record of who made a handle, kept by the handle. Immutable. Nobody made it: the rights of whoever uses it count.
class HandleMaker {
public:
    HandleMaker() = default;
    explicit HandleMaker(const Context& context);
    // Makes the record of a handle that came from another node. `user` empty: nobody made it.
    HandleMaker(std::string user, const PrincipalSource* source)
        : user_(std::move(user)), source_(user_.empty() ? nullptr : source) {}

    // Returns the user; empty for nobody.
    const std::string& user() const { return user_; }

    // Throws UserError, <NoPrivilege>, unless `who` may do this by the handle. The rights of its maker count for the
    // maker's own code, and where a function view got the handle from its caller; elsewhere both the maker and `who`
    // need the right. Costs one comparison of names where `who` made it.
    void require(const Principal& who, Right right, const SecuredObject& object) const;

private:
    std::string user_;
    bool isNode_ = false;
    const PrincipalSource* source_ = nullptr;  // lives as long as the process's services; null: nobody made it
};

}  // namespace pelorus
