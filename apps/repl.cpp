// The interactive console: readline editing, history, completion, multi-line input, Ctrl-C.
#include <fmt/format.h>
#include <readline/history.h>
#include <readline/readline.h>
#include <unistd.h>

#include <csetjmp>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "apps/commands.h"
#include "apps/console.h"
#include "apps/error_text.h"
#include "common/error.h"
#include "interpreter/parser.h"
#include "runtime/format/print.h"

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

// True when the text stops in the middle of something.
bool isUnfinished(const std::string& text) {
    try {
        parseScript(text);
    } catch (const SyntaxError& e) {
        return e.atEnd;
    } catch (const Error&) {
    }
    return false;
}

void show(const Value& value) {
    if (value.isVoid() && value.extra() == 0) return;
    std::cout << display(value) << '\n' << std::flush;
}

void runText(Console& console, const std::string& text) {
    isRunning = 1;
    try {
        console.run(text, show);
    } catch (const std::exception& e) {
        std::cout << std::flush;
        std::cerr << errorText(e, "console", text) << std::endl;
    }
    isRunning = 0;
}

std::string home() {
    const char* folder = std::getenv("HOME");
    return folder ? folder : ".";
}

int converse(Console& console) {
    currentConsole = &console;
    rl_readline_name = "pelorus";
    rl_attempted_completion_function = completions;
    rl_basic_word_break_characters = " \t\n\"'`@$><=;|&{}()[],+-*/%\\!~^:";
    std::string historyFile = home() + "/.pelorus_history";
    using_history();
    read_history(historyFile.c_str());
    struct sigaction action = {};
    action.sa_handler = onInterrupt;
    sigaction(SIGINT, &action, nullptr);
    std::cout << "Pelorus 0.1.0. help(\"name\") tells about a function; Ctrl-D leaves." << std::endl;
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
        if (isUnfinished(text)) {
            text += '\n';
            continue;
        }
        add_history(text.c_str());
        runText(console, text);
        text.clear();
    }
    std::cout << std::endl;
    write_history(historyFile.c_str());
    history_truncate_file(historyFile.c_str(), 5000);
    return 0;
}

void printLine(std::string_view text) {
    std::cout << text << '\n' << std::flush;
}

}  // namespace

int replCommand(const CommandArguments& arguments) {
    std::string folder = home() + "/.pelorus", modules;
    for (size_t i = 0; i < arguments.size(); ++i) {
        bool data = arguments[i] == "--data";
        if ((!data && arguments[i] != "--module-dir") || i + 1 == arguments.size()) {
            throw UserError("Unknown option " + arguments[i] + ".", "pelorus [--data DIR] [--module-dir DIR]");
        }
        (data ? folder : modules) = arguments[++i];
    }
    return converse(*embeddedConsole(folder, "", modules, printLine));
}

int connectCommand(const CommandArguments& arguments) {
    if (arguments.size() != 1) throw UserError("connect needs an address.", "pelorus connect HOST:PORT");
    return converse(*remoteConsole(parseAddress(arguments[0]), printLine));
}

}  // namespace pelorus
