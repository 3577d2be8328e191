"""Lightning trains two epochs of four batches; the callback records the third to the sixth."""
import sys

import lightning.pytorch as pl
import torch

import footlight_recorder


class Line(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 1)
        self.forward_compiled = torch.compile(self.layer, backend='eager')

    def training_step(self, batch, index):
        return self.forward_compiled(batch[0]).square().mean()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


data = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.ones(8, 4)), batch_size=2)
callback = footlight_recorder.lightning_callback(3, 6, sys.argv[1])
assert isinstance(callback, pl.callbacks.Callback)
trainer = pl.Trainer(max_epochs=2, accelerator='cpu', logger=False, enable_checkpointing=False,
                     enable_progress_bar=False, enable_model_summary=False, callbacks=[callback])
trainer.fit(Line(), data)
print(trainer.global_step)
