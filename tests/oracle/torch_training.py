"""Trains the networks of network_oracle.cpp's cases with PyTorch: requests on stdin and answers on stdout as there.

A program and not a module: Debian's python3-torch belongs to the system's Python, which need not be the one that runs
the tests.
"""

from __future__ import annotations

import json
import sys

import torch

ACTIVATIONS = {"relu": torch.nn.ReLU, "tanh": torch.nn.Tanh, "sigmoid": torch.nn.Sigmoid, "linear": torch.nn.Identity}
LOSSES = {"mse": torch.nn.MSELoss, "bce": torch.nn.BCELoss, "bce_logits": torch.nn.BCEWithLogitsLoss}


def trained(case: dict) -> dict:
    modules: list[torch.nn.Module] = []
    for layer in case["layers"]:
        modules += [torch.nn.Linear(layer["inputs"], layer["outputs"]), ACTIVATIONS[layer["activation"]]()]
    network = torch.nn.Sequential(*modules)
    torch.nn.utils.vector_to_parameters(torch.tensor(case["parameters"]), network.parameters())
    x, t = torch.tensor(case["x"]), torch.tensor(case["t"])
    optimiser = torch.optim.Adam(network.parameters(), lr=case["learning_rate"])
    loss = LOSSES[case["loss"]]()
    out: dict[str, list] = {"parameters": [], "losses": []}
    for rows in case["batches"]:
        optimiser.zero_grad()
        value = loss(network(x[rows]), t[rows])
        value.backward()
        optimiser.step()
        out["losses"].append(value.item())
        out["parameters"].append(torch.nn.utils.parameters_to_vector(network.parameters()).tolist())
    return out


if __name__ == "__main__":
    torch.set_num_threads(1)
    json.dump([trained(case) for case in json.load(sys.stdin)], sys.stdout)
