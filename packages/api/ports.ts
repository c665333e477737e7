/** Ports by the names that containers and Services give them. */
export const ports = {
  mysql: { name: "mysql", number: 3306 },
  mysqlX: { name: "mysqlx", number: 33060 },
  /** For the operator and the agent only: open when all other connections are used up. */
  mysqlAdmin: { name: "mysql-admin", number: 33062 },
  /** Served by the agent, declared on mysqld, whose probes ask it. */
  health: { name: "health", number: 9081 },
  agent: { name: "agent", number: 9080 },
  agentMetrics: { name: "agent-metrics", number: 8080 },
  exporterMetrics: { name: "mysqld-metrics", number: 9104 },
} as const;
