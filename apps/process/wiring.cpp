#include "apps/process/wiring.h"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>

#include "apps/process/node_settings.h"
#include "apps/process/settings_table.h"
#include "database/backup/backup_journal.h"
#include "database/builtins/builtins_database.h"
#include "database/service/configuration.h"
#include "database/service/database_service.h"
#include "distributed/builtins/distributed_builtins.h"
#include "interpreter/builtins/interpreter_builtins.h"
#include "interpreter/codegen/code_generator.h"
#include "interpreter/codegen/compiled_regions.h"
#include "interpreter/session/function_views.h"
#include "interpreter/session/modules.h"
#include "interpreter/session/session.h"
#include "postgres/catalog/object_names.h"
#include "postgres/catalog/sequence_functions.h"
#include "postgres/change/check_functions.h"
#include "postgres/change/default_function.h"
#include "postgres/functions/postgres_functions.h"
#include "runtime/memory/allocator.h"
#include "runtime/memory/budget.h"
#include "runtime/registry/registry.h"
#include "runtime/table/spill_file.h"
#include "server/builtins/server_builtins.h"
#include "sql/sql_builtins.h"
#include "stdlib/register_builtins.h"
#include "streaming/builtins/streaming_builtins.h"

namespace pelorus {

static bool fillRegistry() {
    setJitMode(jitModeFromEnvironment());
    enableCompiledRegions();
    FunctionRegistry& registry = FunctionRegistry::instance();
    registerStandardLibrary(registry);
    registerInterpreterBuiltins(registry);
    registerSqlBuiltins(registry);
    registerDatabaseBuiltins(registry);
    registerMapReduceBuiltins(registry);
    registerMomentBuiltins(registry);
    registerClusterBuiltins(registry);
    registerNodeBuiltins(registry);
    registerReplicaBuiltins(registry);
    registerStreamingBuiltins(registry);
    registerServerBuiltins(registry);
    postgres::registerPostgresFunctions(registry);
    postgres::registerCatalogFunctions(registry);
    postgres::registerSequenceFunctions(registry);
    postgres::registerCheckFunctions(registry);
    postgres::registerDefaultFunction(registry);
    return true;
}

void registerAllFunctions() {
    [[maybe_unused]] static const bool isFilled = fillRegistry();
}

ProcessOptions processOptionsOf(const NodeSettings& settings) {
    ProcessOptions options;
    options.dataFolder = settings.dataFolder;
    options.moduleFolder = settings.moduleFolder;
    options.storage = settings.storage;
    options.maxMemoryGigabytes = settings.maxMemoryGigabytes;
    options.outside = settings.outside;
    options.language = settings.language;
    options.streams = settings.streams;
    return options;
}

// Returns what getConfig answers. A node adds what it alone knows.
static std::shared_ptr<Configuration> configurationOf(const ProcessOptions& options) {
    NodeSettings settings;
    settings.moduleFolder = options.moduleFolder;
    settings.storage = options.storage;
    settings.maxMemoryGigabytes = options.maxMemoryGigabytes;
    settings.outside = options.outside;
    settings.streams = options.streams;
    auto configuration = std::make_shared<Configuration>();
    configuration->values = reportedSettings(settings, false);
    if (!options.dataFolder.empty())
        configuration->values["home"] = std::filesystem::absolute(options.dataFolder).string();
    configuration->values["mode"] = "single";
    return configuration;
}

Process::Process(ProcessOptions options) : options_(std::move(options)) {
    languageSettings() = options_.language;
    if (options_.maxMemoryGigabytes > 0) {
        memory::setLimitBytes(static_cast<int64_t>(options_.maxMemoryGigabytes * (1 << 30)));
        memory::keepFreedMemory();
    }
    addSharedObjects(services_);
    addStreaming(services_, options_.streams.executors);
    services_.add(std::make_shared<BackupJournal>());
    services_.add(configurationOf(options_));
    services_.add(std::make_shared<ModuleStore>(options_.moduleFolder, options_.dataFolder));
    LocalDatabaseService::Options databases{.folder = options_.dataFolder, .servedAt = options_.servedAt};
    databases.storage = options_.storage;
    databases.rules = options_.outside;
    if (databases.folder.empty()) {
        // Made at first use only; the name is this object's own.
        static std::atomic<int> made{0};
        const std::string name = fmt::format("pelorus-{}-{}", ::getpid(), ++made);
        temporaryFolder_ = (std::filesystem::temp_directory_path() / name).string();
        databases.folder = temporaryFolder_;
        databases.storage = {.dataSync = false, .keyFolder = options_.storage.keyFolder};
    }
    services_.add(std::make_shared<SpillFolder>(databases.folder + "/temp", FileSystem::posix()));
    services_.add<DatabaseService>(std::make_shared<LocalDatabaseService>(std::move(databases)));
    // A node of a cluster puts another service in the place of this one.
    services_.add(std::make_shared<FunctionViews>([this](bool create) -> MetaStore* {
        auto* databases = services_.find<DatabaseService>();
        return databases ? databases->metaStore(create) : nullptr;
    }));
}

Process::~Process() {
    stopStreaming(services_);  // handlers use all other services
    finishCodeGeneration();
    services_.find<FunctionViews>()->close();  // before the store goes
    services_ = Services();
    if (temporaryFolder_.empty()) return;
    std::error_code ignored;
    std::filesystem::remove_all(temporaryFolder_, ignored);
}

}  // namespace pelorus
