#!/usr/bin/env python3
"""The JDBC driver's own tests (github.com/dolphindb/jdbc, folder test) against a node.

    jdbc_suite.py [PELORUS] --suite FOLDER --java FOLDER [--only PATTERN] [--all]

Needs a JDK and Maven, and the sources of the Java client that the driver stands on (github.com/dolphindb/api-java), since the newest of these
may not be published as a package yet. Cases that are excluded stand with their reasons in jdbc.skip."""
import os
import sys
from pathlib import Path

import junit_suite
from suite import Count, options_of


def main():
    options = options_of("jdbc", "the JDBC driver's sources (github.com/dolphindb/jdbc)", lambda parser: parser.add_argument(
        "--java", default=os.environ.get("PELORUS_JAVA_SUITE"), help="folder with the Java client's sources; PELORUS_JAVA_SUITE names it, too"))
    if not options.java or not Path(options.java).is_dir():
        print("jdbc: no Java client. Clone github.com/dolphindb/api-java and name the folder by --java or PELORUS_JAVA_SUITE.")
        return 2
    count = Count("jdbc", options.verbose)
    classpath, names = junit_suite.build(options.suite, options.work, "test", count, Path(options.java).resolve())

    def write(node):
        site = f"127.0.0.1:{node.port}"
        junit_suite.write_settings(options.suite, options.work, "test", {
            "HOST": "127.0.0.1", "PORT": node.port, "PORT1": node.port, "COLPORT": node.port, "SITE1": site, "SITES": " ".join([site] * 4),
            "SITE2": ",".join([site] * 4), "WORK_DIR": node.folder + "/data/files", "DATA_DIR": node.folder + "/data/files"})

    junit_suite.run(options, count, classpath, names, write)
    return count.close()


if __name__ == "__main__":
    sys.exit(main())
