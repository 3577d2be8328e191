¢v
B’?'¢$
úÿÿÿÿÿÿÿÿÿ
€
`
€RaggedTensorSpec 
0’-¢
ú
€SparseTensorSpec 