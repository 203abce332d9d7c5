// The interactive console: readline editing, history, completion, multi-line input, Ctrl-C.
#include <fmt/format.h>
#include <pwd.h>
#include <readline/history.h>
#include <readline/readline.h>
#include <unistd.h>

#include <csetjmp>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "apps/commands.h"
#include "apps/console/console.h"
#include "apps/console/statement_runner.h"
#include "common/error.h"
#include "interpreter/parser/parser.h"
#include "runtime/code/query.h"
#include "runtime/code/statement.h"
#include "runtime/registry/registry.h"
#include "sql/column_expression.h"

namespace pelorus {

namespace {

// The one console of the process; read by the signal handler and by readline's callbacks.
Console* currentConsole = nullptr;
volatile std::sig_atomic_t isRunning = 0;
sigjmp_buf promptAgain;

void onInterrupt(int) {
    if (isRunning) {
        currentConsole->interrupt();
    } else {
        siglongjmp(promptAgain, 1);
    }
}

char* nextCompletion(const char* prefix, int state) {
    static std::vector<std::string> names;
    static size_t next;
    if (state == 0) {
        names = currentConsole->completions(prefix);
        next = 0;
    }
    return next < names.size() ? strdup(names[next++].c_str()) : nullptr;
}

char** completions(const char* text, int, int) {
    rl_attempted_completion_over = 1;  // no file names
    rl_completion_append_character = '\0';
    return rl_completion_matches(text, nextCompletion);
}

// `select a, b` waits for its `from` on the next line; an empty line says that there is none. `select 1 + 1` is whole.
bool waitsForSource(const NodeList& statements) {
    if (statements.empty() || statements.back()->kind != NodeKind::ExpressionStatement) return false;
    const Node& value = *static_cast<const ExpressionStatement&>(*statements.back()).expression;
    if (value.kind != NodeKind::Query) return false;
    const auto& query = static_cast<const Query&>(value);
    if ((query.verb != QueryVerb::Select && query.verb != QueryVerb::Exec) || query.table) return false;
    bool columns = false;
    for (const SelectItem& item : query.items) {
        columns = columns || item.value->kind == NodeKind::Star;
        forEachName(*item.value,
                    [&](const Name& name) { columns = columns || !FunctionRegistry::instance().find(name.name); });
    }
    return columns;
}

// True when the text stops in the middle of something.
bool isUnfinished(const std::string& text) {
    try {
        const bool lastLineIsEmpty = text.ends_with("\n");
        const bool ended =
            text.find_last_not_of(" \t\n") != std::string::npos && text[text.find_last_not_of(" \t\n")] == ';';
        return waitsForSource(parseScript(text)) && !lastLineIsEmpty && !ended;
    } catch (const SyntaxError& e) {
        return e.atEnd;
    } catch (const Error&) {
    }
    return false;
}

// The user's folder; of no use is the working directory, which would be littered. Empty where the system knows none.
std::string home() {
    if (const char* folder = std::getenv("HOME"); folder && *folder) return folder;
    const passwd* user = getpwuid(getuid());
    return user && user->pw_dir ? user->pw_dir : "";
}

bool means(const std::string& text, std::string_view word) {
    std::string_view line = text;
    while (!line.empty() && (line.back() == ';' || line.back() == ' ' || line.back() == '\t')) line.remove_suffix(1);
    while (!line.empty() && (line.front() == ' ' || line.front() == '\t')) line.remove_prefix(1);
    return line == word || line == std::string(word) + "()";
}

// What people type to leave; the language has no such words.
bool meansToLeave(const std::string& text) {
    return means(text, "exit") || means(text, "quit");
}

// Each input is kept as it is entered, so that a console that is killed has lost none.
class History {
public:
    History() {
        using_history();
        const std::string folder = home();
        if (folder.empty()) return;
        file_ = folder + "/.pelorus_history";
        if (read_history(file_.c_str()) != 0) write_history(file_.c_str());  // makes it, empty
        history_truncate_file(file_.c_str(), kKept);
    }
    void add(const std::string& text) {
        add_history(text.c_str());
        if (!file_.empty()) append_history(1, file_.c_str());
    }

private:
    static constexpr int kKept = 5000;
    std::string file_;
};

int converse(Console& console, StatementRunner& runner) {
    currentConsole = &console;
    ::signal(SIGPIPE, SIG_IGN);  // a pager that is left, a connection that the node has closed
    rl_readline_name = "pelorus";
    rl_attempted_completion_function = completions;
    rl_basic_word_break_characters = " \t\n\"'`@$><=;|&{}()[],+-*/%\\!~^:";
    History history;
    struct sigaction action = {};
    action.sa_handler = onInterrupt;
    sigaction(SIGINT, &action, nullptr);
    std::cout << "Pelorus 0.1.0. help(\"name\") tells about a function; exit or Ctrl-D leaves." << std::endl;
    static std::string text;  // survives the jump out of readline
    if (sigsetjmp(promptAgain, 1) != 0) {
        text.clear();
        std::cout << std::endl;
    }
    for (;;) {
        char* line = readline(text.empty() ? "> " : ". ");
        if (!line) break;
        text += line;
        std::free(line);
        if (text.find_first_not_of(" \t\n") == std::string::npos) {
            text.clear();
            continue;
        }
        if (meansToLeave(text)) return 0;
        if (isUnfinished(text)) {
            text += '\n';
            continue;
        }
        history.add(text);
        isRunning = 1;
        runner.run(console, text);
        isRunning = 0;
        text.clear();
    }
    std::cout << std::endl;
    return 0;
}

}  // namespace

int replCommand(const CommandArguments& arguments) {
    std::string folder, modules;
    for (size_t i = 0; i < arguments.size(); ++i) {
        bool data = arguments[i] == "--data";
        if ((!data && arguments[i] != "--module-dir") || i + 1 == arguments.size()) {
            throw UserError("Unknown option " + arguments[i] + ".", "pelorus [--data DIR] [--module-dir DIR]");
        }
        (data ? folder : modules) = arguments[++i];
    }
    if (folder.empty()) {
        folder = home();
        if (folder.empty()) {
            throw UserError("The console does not know where its database is: HOME is not set.", "pelorus --data DIR");
        }
        folder += "/.pelorus";
    }
    // A script by way of `pelorus < file` or a pipe is run as one, and fails as one.
    if (!isatty(STDIN_FILENO)) {
        CommandArguments options = {"--data", folder};
        if (!modules.empty()) options.insert(options.end(), {"--module-dir", modules});
        return standardInputCommand(options);
    }
    Output output(true);
    StatementRunner runner(output);
    return converse(*embeddedConsole(folder, "", modules, runner.events()), runner);
}

int connectCommand(const CommandArguments& arguments) {
    RemoteAddress address;
    for (size_t i = 0; i < arguments.size(); ++i) {
        if (arguments[i] == "--tls") {
            address.tls = true;
        } else if (arguments[i] == "--tls-certificate" && i + 1 < arguments.size()) {
            address.tls = true;
            address.tlsCertificate = arguments[++i];
        } else if (address.host.empty() && !arguments[i].starts_with("--")) {
            const RemoteAddress parsed = parseAddress(arguments[i]);
            address = {parsed.host, parsed.port, parsed.user, parsed.password, address.tls, address.tlsCertificate};
        } else {
            throw UserError("connect does not understand " + arguments[i] + ".",
                            "pelorus connect [--tls | --tls-certificate FILE] HOST:PORT");
        }
    }
    if (address.host.empty()) throw UserError("connect needs an address.", "pelorus connect HOST:PORT");
    Output output(true);
    StatementRunner runner(output);
    return converse(*remoteConsole(address, runner.events()), runner);
}

}  // namespace pelorus
