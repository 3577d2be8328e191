graph():
    %p_l_weight : [num_users=1] = placeholder[target=p_l_weight]
    %p_l_bias : [num_users=1] = placeholder[target=p_l_bias]
    %p_b_weight : [num_users=1] = placeholder[target=p_b_weight]
    %p_b_bias : [num_users=1] = placeholder[target=p_b_bias]
    %b_b_running_mean : [num_users=1] = placeholder[target=b_b_running_mean]
    %b_b_running_var : [num_users=1] = placeholder[target=b_b_running_var]
    %b_b_num_batches_tracked : [num_users=0] = placeholder[target=b_b_num_batches_tracked]
    %x : [num_users=3] = placeholder[target=x]
    %sym_size_int_1 : [num_users=1] = call_function[target=torch.ops.aten.sym_size.int](args = (%x, 0), kwargs = {})
    %linear : [num_users=1] = call_function[target=torch.ops.aten.linear.default](args = (%x, %p_l_weight, %p_l_bias), kwargs = {})
    %batch_norm : [num_users=1] = call_function[target=torch.ops.aten.batch_norm.default](args = (%linear, %p_b_weight, %p_b_bias, %b_b_running_mean, %b_b_running_var, False, 0.1, 1e-05, False), kwargs = {})
    %relu : [num_users=1] = call_function[target=torch.ops.aten.relu.default](args = (%batch_norm,), kwargs = {})
    %split : [num_users=2] = call_function[target=torch.ops.aten.split.Tensor](args = (%relu, 8, 1), kwargs = {})
    %getitem : [num_users=1] = call_function[target=operator.getitem](args = (%split, 0), kwargs = {})
    %getitem_1 : [num_users=2] = call_function[target=operator.getitem](args = (%split, 1), kwargs = {})
    %clone : [num_users=2] = call_function[target=torch.ops.aten.clone.default](args = (%getitem,), kwargs = {})
    %select : [num_users=1] = call_function[target=torch.ops.aten.select.int](args = (%clone, 0, 0), kwargs = {})
    %fill_ : [num_users=0] = call_function[target=torch.ops.aten.fill_.Scalar](args = (%select, 2), kwargs = {})
    %add_ : [num_users=1] = call_function[target=torch.ops.aten.add_.Tensor](args = (%clone, 1), kwargs = {})
    %sum_1 : [num_users=1] = call_function[target=torch.ops.aten.sum.default](args = (%x,), kwargs = {})
    %gt_2 : [num_users=1] = call_function[target=torch.ops.aten.gt.Scalar](args = (%sum_1, 0), kwargs = {})
    %true_graph_0 : [num_users=1] = get_attr[target=true_graph_0]
    %false_graph_0 : [num_users=1] = get_attr[target=false_graph_0]
    %cond : [num_users=1] = call_function[target=torch.ops.higher_order.cond](args = (%gt_2, %true_graph_0, %false_graph_0, (%getitem_1,)), kwargs = {})
    %getitem_2 : [num_users=1] = call_function[target=operator.getitem](args = (%cond, 0), kwargs = {})
    %numpy_t : [num_users=1] = call_function[target=torch.ops.aten.numpy_T.default](args = (%getitem_1,), kwargs = {})
    %matmul : [num_users=1] = call_function[target=torch.ops.aten.matmul.default](args = (%add_, %numpy_t), kwargs = {})
    %mul : [num_users=1] = call_function[target=operator.mul](args = (%sym_size_int_1, 2), kwargs = {})
    return (matmul, getitem_2, mul)
