// pelorus passwd: sets the password of a user of a node that does not run.
#include <termios.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <iostream>
#include <string>

#include "apps/commands.h"
#include "apps/node/cluster_node.h"
#include "apps/process/node_settings.h"
#include "apps/process/wiring.h"
#include "common/error.h"
#include "database/service/database_service.h"
#include "server/access/access_control.h"
#include "server/access/client_policy.h"
#include "server/access/password_login.h"

namespace pelorus {
namespace {

struct PasswdArguments {
    std::string folder;
    std::string user{kAdministrator};
    std::string settings;  // a file
};

PasswdArguments parse(const CommandArguments& arguments) {
    PasswdArguments parsed;
    for (size_t i = 0; i < arguments.size(); i += 2) {
        const std::string& option = arguments[i];
        std::string* target = option == "--data"     ? &parsed.folder
                              : option == "--user"   ? &parsed.user
                              : option == "--config" ? &parsed.settings
                                                     : nullptr;
        if (target == nullptr || i + 1 == arguments.size()) {
            throw UserError("pelorus passwd does not understand " + option + ".",
                            "Use pelorus passwd --data DIR [--user NAME] [--config FILE].");
        }
        *target = arguments[i + 1];
    }
    return parsed;
}

// Switches the terminal's echo off while it lives.
class WithoutEcho {
public:
    WithoutEcho() {
        ::tcgetattr(STDIN_FILENO, &before_);
        termios quiet = before_;
        quiet.c_lflag &= ~static_cast<tcflag_t>(ECHO);
        ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &quiet);
    }
    ~WithoutEcho() { ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &before_); }
    WithoutEcho(const WithoutEcho&) = delete;
    WithoutEcho& operator=(const WithoutEcho&) = delete;

private:
    termios before_{};
};

std::string readLine() {
    std::string line;
    if (!std::getline(std::cin, line)) throw UserError("No password was given.");
    if (!line.empty() && line.back() == '\r') line.pop_back();
    return line;
}

// Asks twice on a terminal; a program writes one line.
std::string askPassword(const std::string& user) {
    if (::isatty(STDIN_FILENO) == 0) return readLine();
    const WithoutEcho quiet;
    std::cout << "New password of " << user << ": " << std::flush;
    const std::string password = readLine();
    std::cout << "\nOnce more: " << std::flush;
    const std::string again = readLine();
    std::cout << std::endl;
    if (password != again) throw UserError("The passwords differ.", "Nothing was changed; try again.");
    return password;
}

}  // namespace

int passwdCommand(const CommandArguments& arguments) {
    PasswdArguments given = parse(arguments);
    NodeSettings settings;
    if (!given.settings.empty()) settings = readNodeSettings(given.settings);
    if (given.folder.empty()) given.folder = settings.dataFolder;
    if (given.folder.empty()) throw UserError("Which data folder is meant?", "Use pelorus passwd --data DIR.");
    if (!std::filesystem::exists(given.folder)) {
        throw UserError("There are no users in " + given.folder + ".",
                        "Name the data folder of a node that ran before: --data of pelorus serve.");
    }
    ProcessOptions options;
    options.dataFolder = given.folder;
    options.storage = settings.storage;
    Process process(options);
    // Holds the lock of the folder until the end; throws when the node runs.
    MetaStore& own = process.services().find<DatabaseService>()->catalog().store();
    // The users of a cluster are in its own store.
    const std::unique_ptr<MetaStore> shared = settings.etcdEndpoints.empty() ? nullptr : openStoreOf(settings);
    const ClientPolicy policy;
    AccessControl users(shared ? *shared : own, own, policy);
    users.takeOver(given.folder + "/users.json");
    if (!users.hasUser(given.user)) {
        throw UserError("There is no user " + given.user + " in " + given.folder + ".",
                        "createUser makes one on the running node.");
    }
    const std::string password = askPassword(given.user);
    requireGoodPassword(password, settings.enhancedSecurity);
    users.setPassword(given.user, password);
    std::printf("The user %s has a new password.\n", given.user.c_str());
    return 0;
}

}  // namespace pelorus
