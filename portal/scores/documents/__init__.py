"""What an evaluation is handed out as: table, report, findings, receipt, commitment."""
