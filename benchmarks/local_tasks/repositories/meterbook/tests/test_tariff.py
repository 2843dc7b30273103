import unittest

from meterbook.tariff import monthly_bill, tiered_cost


class TariffTest(unittest.TestCase):
    def test_first_tier(self):
        self.assertEqual(tiered_cost(50), 10.0)

    def test_upper_bound_belongs_to_the_tier(self):
        self.assertEqual(tiered_cost(100), 20.0)

    def test_negative_units(self):
        with self.assertRaises(ValueError):
            tiered_cost(-1)

    def test_bill_has_the_base_fee(self):
        self.assertEqual(monthly_bill(10), 6.5)


if __name__ == "__main__":
    unittest.main()
