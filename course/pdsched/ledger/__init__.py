"""Step 4's scheduling ledger: the learner's five functions at work, line by line."""

from pdsched.ledger.book import Ledger, open_ledger
from pdsched.ledger.schedule import BudgetSettings, Round, schedule

__all__ = ["BudgetSettings", "Ledger", "Round", "open_ledger", "schedule"]
