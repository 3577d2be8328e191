


def forward(self, x):
    l = self.l(x);  x = None
    split = l.split(8, 1);  l = None
    getitem = split[0]
    getitem_1 = split[1];  split = None
    view = getitem_1.view(8, -1)
    matmul = getitem @ view;  view = None
    neg = -getitem
    getattr_1 = getitem.shape
    getitem_2 = getattr_1[0];  getattr_1 = None
    cat = torch.cat([getitem, getitem_1]);  getitem = getitem_1 = None
    return (matmul, neg, getitem_2, cat)
