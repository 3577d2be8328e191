"""Iterators of datasets."""


class OwnedIterator:
    def __init__(self, elements, can_be_saved=True):
        self.elements, self.at, self.can_be_saved = elements, 0, can_be_saved

    def __iter__(self):
        return self

    def __next__(self):
        self.at += 1
        return self.elements[self.at - 1]

    def _serialize_to_tensors(self):
        if not self.can_be_saved:
            raise NotImplementedError('GeneratorDataset cannot be saved')
        return self.at

    def _restore_from_tensors(self, at):
        self.at = at
