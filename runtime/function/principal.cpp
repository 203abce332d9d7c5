#include "runtime/function/principal.h"

#include <fmt/format.h>

#include "common/error.h"

namespace pelorus {

const std::shared_ptr<const Principal>& Principal::owner() {
    static const auto principal = std::make_shared<const Principal>("admin", Powers{.everything = true,
                                                                                    .administers = true,
                                                                                    .opensFiles = true,
                                                                                    .opensAnyFile = true,
                                                                                    .ownsAllData = true,
                                                                                    .callsPublic = true});
    return principal;
}

const std::shared_ptr<const Principal>& Principal::guest() {
    static const auto principal = std::make_shared<const Principal>("guest", Powers{});
    return principal;
}

std::shared_ptr<const Principal> Principal::calledBy(const Principal& caller) const {
    auto definer = std::make_shared<Principal>(user_, powers_, granted_);
    definer->caller_ = &caller;
    return definer;
}

bool Principal::may(Right right, const SecuredObject& object) const {
    if (powers_.everything) return true;
    // What runs with the rights of another user is no data.
    const bool isCode = object.kind == SecuredObject::Kind::View || object.kind == SecuredObject::Kind::ModelTool;
    if (powers_.ownsAllData && !isCode && right != Right::WriteModules) return true;
    return granted_ && granted_->allows(right, object);
}

void Principal::requireAdministrator(std::string_view what) const {
    if (powers_.administers) return;
    throw UserError(fmt::format("<NoPrivilege>Only administrators can {}.", what), "Log in as an administrator.");
}

void Principal::requireScripts() const {
    if (powers_.everything || !granted_ || !granted_->denies(Right::ExecuteScript)) return;
    throw UserError("<NoPrivilege>Not granted to execute scripts.", "An administrator can revoke the denial.");
}

void Principal::refuse(Right right, const SecuredObject& object) const {
    using Kind = SecuredObject::Kind;
    const bool isRead = right == Right::Read;
    const std::string name = object.kind == Kind::Table      ? fmt::format("{}/{}", object.database, object.name)
                             : object.kind == Kind::Database ? std::string(object.database)
                                                             : std::string(object.name);
    std::string string;
    switch (right) {
        case Right::Read:
        case Right::Insert:
        case Right::Update:
        case Right::Delete:
            string = object.kind == Kind::SharedTable ? fmt::format("No access to shared table [{}]", name)
                     : isRead                         ? fmt::format("Not granted to read table {}", name)
                                                      : fmt::format("Not granted to write data to table {}", name);
            break;
        case Right::CreateObject:
            string = fmt::format("Not granted to create tables in database {}", name);
            break;
        case Right::DeleteObject:
            string = fmt::format("Not granted to delete tables in database {}", name);
            break;
        case Right::Manage:
            string = fmt::format("Not granted to manage database {}", name);
            break;
        case Right::ManageCatalog:
            string = fmt::format("Not granted to manage catalog {}", name);
            break;
        case Right::CreateDatabase:
            string = "Not granted to create or delete databases";
            break;
        case Right::ExecuteView:
            string = fmt::format("No access to view {}", name);
            break;
        case Right::CreateView:
            string = "Not granted to create or drop function views";
            break;
        case Right::ExecuteTool:
            string = fmt::format("Not granted to use {}", name);
            break;
        case Right::DevelopTools:
            string = "Not granted to make tools and prompts of language models";
            break;
        case Right::PublishTools:
            string = "Not granted to publish or withdraw tools and prompts of language models";
            break;
        case Right::ExecuteScript:
            string = "Not granted to execute script files";
            break;
        case Right::ExecuteTest:
            string = "Not granted to execute tests";
            break;
        case Right::CreateShared:
            string = "Not granted to create shared variables";
            break;
        case Right::ReadFiles:
            string = fmt::format("Not granted to read files of the folder {}", name);
            break;
        case Right::WriteFiles:
            string = fmt::format("Not granted to write files of the folder {}", name);
            break;
        case Right::WriteModules:
            string = "Not granted to write modules of the server";
            break;
    }
    throw UserError("<NoPrivilege>" + string + ".", isGuest() ? "Log in." : "Ask an administrator to grant it.");
}

void Principal::refuseChange(std::string_view what) {
    throw UserError(std::string(what) + " may change something, and this request only reads.",
                    "Send it by the native protocol or the JSON interface.");
}

}  // namespace pelorus
