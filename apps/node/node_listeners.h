// NodeListeners serves the ports of a node: that for clients, and that of the line protocol.
#pragma once

#include <memory>
#include <string>

namespace pelorus {

class Acceptor;
class AccessControl;
class LineListener;
class ScriptHost;
class Server;
class Services;
class TlsContext;
struct LineService;
struct NodeServices;
struct NodeSettings;
struct RequestLimits;

// Returns the command by which psql connects to a development server.
std::string psqlCommand(const std::string& host, int port);

// The servers of a node. Their ports are open from the construction on; clients that connect wait for `start`.
class NodeListeners {
public:
    // The parts of a node that the listeners need; all of them outlive the listeners.
    struct Node {
        const NodeSettings& settings;
        const NodeServices& own;
        AccessControl& access;
        ScriptHost& host;
        Services& services;
    };
    // Takes the port for clients, and opens that of the line protocol where the settings ask for one. Throws UserError
    // when settings contradict each other, SystemError when the port is in use. Adds RequestLimits, LoginThrottle and
    // DebuggedSessions to the services, reports memLimitOfQueryResult in their Configuration, and makes a certificate
    // in the data folder where TLS needs one.
    NodeListeners(const Node& node, std::unique_ptr<Acceptor> port);
    // Stops both.
    ~NodeListeners();
    NodeListeners(const NodeListeners&) = delete;
    NodeListeners& operator=(const NodeListeners&) = delete;

    // Serves from now on, and says so on standard output. REQUIRES: all services of the node are there; threads look
    // them up from now on, and nothing guards them.
    void start();
    // Takes no more lines, and commits those that came.
    void stopLines();
    // Takes no more requests, and waits for those that run, which are cancelled after three seconds.
    void stopClients();

private:
    const NodeSettings& settings_;
    const Services& services_;
    const std::shared_ptr<const TlsContext> tls_;  // null: no client may ask for TLS
    const std::shared_ptr<const LineService> lines_;
    const std::shared_ptr<RequestLimits> limits_;
    int postgresPort_ = 0;  // a further port of the server; 0: there is none
    const std::unique_ptr<Server> server_;
    const std::unique_ptr<LineListener> lineListener_;  // null: there is no port for lines
};

}  // namespace pelorus
